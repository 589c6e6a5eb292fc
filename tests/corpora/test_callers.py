"""Warnings show the line of the user's program, whoever in the library gives them."""

import io
import warnings

import pytest

import jaxlda
from jaxlda.corpora.callers import warn
from jaxlda.models import CorpusVectorizer

TOPICS = jaxlda.LDA.from_topics([[0.9, 0.1], [0.1, 0.9]], ["cat", "dog"], text_options={})


@pytest.mark.parametrize(
    "call",
    [
        lambda: warn("at once"),
        lambda: jaxlda.Corpus.from_texts(["cat", None]),
        lambda: jaxlda.Corpus.from_texts(["cat emu"]).select_words(["cat"]),
        lambda: TOPICS.transform(["cat emu"], num_warmup=1, num_samples=1, num_chains=1),  # which scikit-learn wraps
        lambda: jaxlda.io.read_text(io.BytesIO("naïve".encode("latin-1"))),
        lambda: jaxlda.io.read_corpus(io.BytesIO("naïve".encode("latin-1")), "text"),
        lambda: CorpusVectorizer().fit(["cat", None]),
        lambda: jaxlda.evaluation.coherence([["cat", "emu", "dog"]], reference=jaxlda.Corpus.from_texts(["cat dog"])),
        lambda: jaxlda.LDA(2, learn_alpha=True, num_warmup=1, num_samples=1, num_chains=1, progress=False).fit(
            [[1, 2]]
        ),
    ],
)
def test_they_point_at_the_caller(call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    assert told and {one.filename for one in told} == {__file__}
