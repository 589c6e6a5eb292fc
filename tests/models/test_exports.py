"""What a model has found, in files for other programs."""

import numpy as np
import pandas as pd
import pytest

from jaxlda import LDA, Corpus, io
from tests.corpora.writers.test_mallet import sampled
from tests.models.toy import toy

TEXTS = ["dog cat dog ant", "emu cat cat emu cat", "ant emu"]


@pytest.fixture(scope="module")
def model():
    corpus = Corpus.from_texts(TEXTS, titles=["one", "two", "=three"])
    return LDA.from_sample(corpus, *sampled(corpus))


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_tables(model, ending, tmp_path):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")

    def read(what):
        model.export(tmp_path / f"{what}{ending}", what)
        path = tmp_path / f"{what}{ending}"
        return pd.read_parquet(path) if ending == ".parquet" else pd.read_csv(path)

    phi = read("topics").pivot(index="topic", columns="word", values="probability")[model.vocab_.tolist()]
    np.testing.assert_array_equal(phi.to_numpy(np.float32), model.phi_)
    theta = read("theta")
    assert theta.title.tolist() == ["one", "two", "=three"]
    np.testing.assert_array_equal(theta[["topic0", "topic1", "topic2"]].to_numpy(np.float32), model.theta_)
    tokens = read("tokens")
    assert tokens.word.tolist() == " ".join(TEXTS).split() and tokens.position.tolist()[:5] == [0, 1, 2, 3, 0]
    sample = model.run_.chain(model.best_chain_)
    counts = tokens.groupby(["document", "topic"]).size().unstack(fill_value=0)
    np.testing.assert_array_equal(counts.to_numpy(), np.asarray(sample.counts.n_dk))


def test_files_of_mallet(model, tmp_path):
    model.export(tmp_path / "state.gz", "state")
    again = LDA.from_sample(io.read_mallet_state(tmp_path / "state.gz"))
    np.testing.assert_array_equal(again.phi_, model.phi_)
    np.testing.assert_array_equal(again.run_.chain(0).z, model.run_.chain(0).z)
    model.export(tmp_path / "keys", "topic-keys", words=2)
    assert io.read_mallet_topic_keys(tmp_path / "keys")[1] == model.top_words(2)
    model.export(tmp_path / "docs", "doc-topics")
    np.testing.assert_array_equal(io.read_mallet_doc_topics(tmp_path / "docs")[1], model.theta_)


def test_what_cannot_be_exported_is_said(model, tmp_path):
    with pytest.raises(ValueError, match="what must be one of 'topics'"):
        model.export(tmp_path / "a.csv", "phi")
    with pytest.raises(ValueError, match=r"as \*\.csv or \*\.parquet, and 'a\.xlsx' is neither"):
        model.export(tmp_path / "a.xlsx")
    soft = LDA(2, kernel=toy(), num_warmup=0, num_samples=1, num_chains=1, trace_every=0, progress=False).fit([[2, 1]])
    with pytest.raises(ValueError, match="soft counts only"):
        soft.export(tmp_path / "a.csv", "tokens")
    topics = LDA.from_topics([[0.5, 0.5]], ["a", "b"])
    topics.export(tmp_path / "a.csv")
    topics.export(tmp_path / "keys", "topic-keys")
    with pytest.raises(ValueError, match="topics only"):
        topics.export(tmp_path / "a.csv", "theta")
