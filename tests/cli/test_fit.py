"""jaxlda fit, topics, infer and evaluate: a model from a file, and what it says of others."""

import csv
import errno
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from itertools import product

import numpy as np
import pytest

import jaxlda as library
from jaxlda import kernels
from jaxlda.cli.topics import described, table_of_topics
from jaxlda.models.saved_topics import Topics, of_file, of_model
from jaxlda.running import archive, store
from tests.tiers import mostly_slow

TEXTS = ["cat purr meow cat", "dog bark howl dog", "purr cat meow", "bark dog howl bark"]
FITTING = ["--topics", 2, "--chains", 2, "--warmup", 30, "--samples", 2, "--quiet"]
SHORT = ["--chains", 2, "--warmup", 5, "--samples", 3, "--quiet"]
NEW = ["meow purr cat", "howl zebra bark howl"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Texts, and a model of them."""
    folder = tmp_path_factory.mktemp("fit")
    (folder / "texts.txt").write_text("\n".join(TEXTS * 5), encoding="utf-8")
    (folder / "new.txt").write_text("\n".join(NEW), encoding="utf-8")
    corpus = library.io.read_text(folder / "texts.txt", min_df=2)
    library.LDA(2, num_chains=2, num_warmup=30, num_samples=2, progress=False).fit(corpus).save(folder / "pets.jaxlda")
    return folder


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_fit(folder, jaxlda, tmp_path):
    told = jaxlda("fit", folder / "texts.txt", *FITTING, "--min-df", 2, "--save", tmp_path / "pets.jaxlda")
    model, same = library.load(tmp_path / "pets.jaxlda"), library.load(folder / "pets.jaxlda")
    np.testing.assert_array_equal(model.phi_, same.phi_)
    assert model.get_params()["thinning"] == 5, "what is not given is the model's default"
    assert "20 documents, 6 words, 75 tokens" in told.err and "saved: " in told.err
    lines = told.out.splitlines()
    assert lines[0].startswith("Topics of chain ") and len(lines) == 3
    assert {frozenset(line.split("%")[1].split()[:3]) for line in lines[1:]} == {
        frozenset(["cat", "purr", "meow"]),
        frozenset(["dog", "bark", "howl"]),
    }


def test_options_of_fit_are_those_of_the_model(folder, jaxlda, tmp_path):
    given = ["--kernel", "toy", "--alpha", 0.3, "--beta", 0.2, "--thinning", 3, "--seed", 7, "--quiet"]
    jaxlda("fit", folder / "texts.txt", "--topics", 3, *given, "--save", tmp_path / "m")
    params = library.load(tmp_path / "m").get_params()
    expected = {"num_topics": 3, "alpha": 0.3, "beta": 0.2, "thinning": 3, "seed": 7, "num_warmup": 200}
    assert {name: params[name] for name in expected} == expected and params["learn_beta"] is None


def test_ctrl_c_saves_what_there_is(folder, jaxlda, tmp_path, interrupted):
    interrupted(12)
    told = jaxlda("fit", folder / "texts.txt", *FITTING, "--save", tmp_path / "m", code=130)
    assert "Stopped at sweep 12 of 40" in told.err and told.err.endswith("stopped\n")
    assert "Topics of chain" in told.out
    model, whole = library.load(tmp_path / "m"), library.load(folder / "pets.jaxlda")
    assert model.run_.sweep == 12
    np.testing.assert_array_equal(model.resume().phi_, whole.phi_)


def test_the_same_command_goes_on_from_its_checkpoint(folder, jaxlda, tmp_path, interrupted):
    command = ["fit", folder / "texts.txt", *FITTING, "--checkpoint", tmp_path / "c.jaxlda"]
    interrupted(12)
    jaxlda(*command, code=130)
    assert library.load(tmp_path / "c.jaxlda").run_.sweep == 12
    jaxlda(*command)
    np.testing.assert_array_equal(library.load(tmp_path / "c.jaxlda").phi_, library.load(folder / "pets.jaxlda").phi_)


def test_topics_of_a_fit_in_all_forms(folder, jaxlda, tmp_path):
    command = [
        "fit",
        folder / "texts.txt",
        "--topics",
        2,
        "--kernel",
        "toy",
        "--warmup",
        1,
        "--samples",
        1,
        "--quiet",
    ]
    found = json.loads(jaxlda(*command, "--json").out)
    assert [set(row) for row in found] == [{"topic", "share", "words"}] * 2
    head, *table = rows(jaxlda(*command, "--csv", "--words", 3).out)
    assert head == ["topic", "share", "words"] and [row[2].split() for row in table] == [x["words"][:3] for x in found]
    told = jaxlda(*command, "--output", tmp_path / "topics.json")
    assert told.out == "" and json.loads((tmp_path / "topics.json").read_text(encoding="utf-8")) == found


class TestFullDisk:
    """Nothing that was computed is lost."""

    COMMAND = ("--topics", 2, "--kernel", "toy", "--warmup", 1, "--samples", 1, "--quiet", "--save")

    def full(self, monkeypatch, is_full):
        real = archive.write

        def write(path, *content):
            if is_full(path):
                raise OSError(errno.ENOSPC, "No space left on device")
            real(path, *content)

        monkeypatch.setattr(archive, "write", write)

    def test_topics_are_printed_and_the_model_is_elsewhere(self, folder, jaxlda, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        self.full(monkeypatch, lambda path: path == tmp_path / "m.jaxlda")
        told = jaxlda("fit", folder / "texts.txt", *self.COMMAND, tmp_path / "m.jaxlda", code=2)
        assert told.out.startswith("Topics of chain") and "%" in told.out
        found = re.search(r"m\.jaxlda' could not be written: No space left .* is in '(.*)' instead", told.err)
        assert found and "saved: " not in told.err
        assert library.load(found[1]).phi_.shape == (2, 6)

    def test_where_there_is_no_room_at_all(self, folder, jaxlda, tmp_path, monkeypatch):
        self.full(monkeypatch, lambda path: True)
        told = jaxlda("fit", folder / "texts.txt", *self.COMMAND, tmp_path / "m.jaxlda", code=2)
        assert told.out.startswith("Topics of chain")
        assert "m.jaxlda' could not be written: No space left" in told.err and "Make room" in told.err

    def test_tables_are_printed(self, folder, jaxlda, tmp_path, monkeypatch):
        def full(*args):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        told = jaxlda("topics", folder / "pets.jaxlda", "--output", tmp_path / "t.csv", code=2)
        assert told.out.startswith("topic,share,words\n")
        assert "t.csv' could not be written, so it is printed: No space left on device" in told.err

    @pytest.mark.parametrize("command", ["convert pets.jaxlda {}.csv", "report pets.jaxlda --output {}.html"])
    def test_other_files_are_named_and_there_is_no_half_of_them(self, command, folder, jaxlda, tmp_path, monkeypatch):
        def full(*args):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.chdir(folder)
        monkeypatch.setattr(os, "fsync", full)
        told = jaxlda(*command.format(tmp_path / "a").split(), code=2)
        assert re.search(r"a\.(csv|html)': No space left on device\n", told.err)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_sigterm_ends_with_its_code(folder, tmp_path, root):
    """And the checkpoint has what there was."""
    command = [sys.executable, "-m", "jaxlda", "fit", folder / "texts.txt", "--topics", "2", "--samples", "9000000"]
    options = ["--checkpoint", str(tmp_path / "c.jaxlda")]
    process = subprocess.Popen([*command, *options], cwd=root, stderr=subprocess.PIPE, text=True)
    try:
        seen = "?"
        while "sweep/s" not in seen or "?" in seen:  # the first bar has no speed yet, nor a sweep to keep
            seen = process.stderr.read(1) + process.stderr.readline()
            assert seen, "ended before it began"
        process.terminate()
        assert process.wait(60) == 143, process.stderr.read()
    finally:
        process.kill()
        process.stderr.close()
    assert library.load(tmp_path / "c.jaxlda").run_.sweep > 0


class TestTopics:
    @pytest.mark.parametrize("arguments", [(), ("--chain", 1, "--csv")])
    def test_without_starting_jax(self, folder, root, arguments):
        """What takes seconds to start is not needed to print."""
        code = (
            "import sys; from jaxlda import cli; code = cli.main(sys.argv[1:]); "
            "sys.exit(code or [m for m in ('jax', 'scipy', 'sklearn', 'pandas') if m in sys.modules] or 0)"
        )
        command = [sys.executable, "-c", code, "topics", folder / "pets.jaxlda", *map(str, arguments)]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        topics = of_model(library.load(folder / "pets.jaxlda"), 1 if arguments else None)
        assert done.stdout == (table_of_topics(topics, 10).csv() if arguments else described(topics))
        versions = f"jaxlda {version('jaxlda')}, jax {version('jax')}, numpy {version('numpy')}, python "
        assert f"pets.jaxlda: saved by {versions}" in done.stderr

    @pytest.mark.parametrize(
        ("model", "kernel"),
        mostly_slow(
            product(["LDA", "PriorLDA", "PLDA"], ["cgs", "cvb0", "vb", "learned"]),
            hours=lambda case: case not in [("LDA", "vb"), ("LDA", "learned"), ("PriorLDA", "cgs"), ("PLDA", "cvb0")],
        ),
    )
    def test_files_tell_what_models_tell(self, tmp_path, model, kernel):
        corpus = library.Corpus.from_texts(TEXTS * 3, labels=[["cats"], ["dogs"], ["cats"], ["dogs"]] * 3)
        options = {"num_warmup": 4, "num_samples": 2, "num_chains": 2, "progress": False, "keep": ()}
        options |= {"kernel": kernels.learn_beta(kernels.cgs(), every=2, start=1) if kernel == "learned" else kernel}
        fitted = getattr(library, model)(**options, **({"num_topics": 3} if model == "LDA" else {})).fit(corpus)
        for only in (None, "topics"):
            fitted.save(tmp_path / "m", only=only)
            for chain in (None,) if only else (None, 0, 1):
                told, expected = of_file(tmp_path / "m", chain), of_model(library.load(tmp_path / "m"), chain)
                np.testing.assert_allclose(told.phi, expected.phi, rtol=1e-5)
                assert told.top_words(6) == expected.top_words(6) and told.labels == expected.labels
                same = set(told._fields) - {"phi", "vocab", "labels", "n_k", "writer"}
                assert {name: getattr(told, name) for name in same} == {name: getattr(expected, name) for name in same}
                if only is None:
                    np.testing.assert_allclose(told.n_k, expected.n_k, rtol=1e-5)

    def test_before_the_first_draw(self, folder, jaxlda, tmp_path, interrupted):
        """The file does not tell by itself: the model is loaded."""
        interrupted(2)
        command = ["fit", folder / "texts.txt", "--kernel", "toy", *FITTING, "--save", tmp_path / "m"]
        out = jaxlda(*command, code=130).out
        assert of_file(tmp_path / "m") is None
        told = jaxlda("topics", tmp_path / "m")
        assert told.out == out and "saved by jaxlda" in told.err

    def test_the_best_chain_is_best_by_its_own_objective(self):
        bound = Topics(np.eye(2), np.array(["a", "b"]), None, np.ones(2), 1, 1, 2, "bound")
        assert described(bound).startswith("Topics of chain 1, the one of highest bound (")

    def test_for_people(self, folder, jaxlda):
        out = jaxlda("topics", folder / "pets.jaxlda", "--words", 2).out
        assert "the one of highest log joint" in out and out.count("%") == 2

    def test_as_csv_and_json(self, folder, jaxlda, tmp_path):
        model = library.load(folder / "pets.jaxlda")
        n_k = np.asarray(model.run_.counts(chain=1).n_k)
        head, *table = rows(jaxlda("topics", folder / "pets.jaxlda", "--chain", 1, "--csv").out)
        assert head == ["topic", "share", "words"]
        assert [row[2].split() for row in table] == model.top_words(10, chain=1)
        np.testing.assert_allclose([float(row[1]) for row in table], n_k / n_k.sum(), rtol=1e-5)
        jaxlda("topics", folder / "pets.jaxlda", "--chain", 1, "--output", tmp_path / "t.json")
        found = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
        assert [topic["words"] for topic in found] == model.top_words(10, chain=1)

    @pytest.mark.slow
    def test_labels_are_names(self, jaxlda, tmp_path):
        corpus = library.Corpus.from_texts(TEXTS, labels=[["<cats>"], ["dogs, big"], ["<cats>"], ["dogs, big"]])
        options = {"kernel": "toy", "num_warmup": 1, "num_samples": 1, "num_chains": 1, "progress": False}
        library.PLDA(**options).fit(corpus).save(tmp_path / "plda")
        library.PriorLDA(**options).fit(corpus).save(tmp_path / "prior")
        found = json.loads(jaxlda("topics", tmp_path / "plda", "--json").out)
        assert [topic["label"] for topic in found] == ["<cats>", "<cats>", "dogs, big", "dogs, big", ""]
        assert [row[1] for row in rows(jaxlda("topics", tmp_path / "prior", "--csv").out)[1:]] == [
            "<cats>",
            "dogs, big",
        ]
        assert "  0 <cats>   " in jaxlda("topics", tmp_path / "prior").out
        (tmp_path / "new.txt").write_text("cat purr\n", encoding="utf-8")
        head = rows(jaxlda("infer", tmp_path / "plda", tmp_path / "new.txt", *SHORT).out)[0]
        assert head == ["document", "<cats>", "<cats>", "dogs, big", "dogs, big", "topic4"]

    def test_a_chain_that_is_not_there(self, folder, jaxlda):
        assert "there is no chain 2" in jaxlda("topics", folder / "pets.jaxlda", "--chain", 2, code=2).err

    def test_a_run_is_no_model(self, jaxlda, tmp_path):
        store.save(library.LDA(2, kernel="toy", progress=False).fit([[1, 2], [2, 1]]).run_, tmp_path / "run")
        assert "holds a run of jaxlda.run, not a model" in jaxlda("topics", tmp_path / "run", code=2).err


class TestInfer:
    def expected(self, folder, **options):
        model = library.load(folder / "pets.jaxlda")
        new = library.Corpus.from_texts(NEW, vocabulary=model.vocab_.tolist())
        return model.transform(new, num_chains=2, num_warmup=5, num_samples=3, **options)

    def test_theta_of_new_documents(self, folder, jaxlda):
        told = jaxlda("infer", folder / "pets.jaxlda", folder / "new.txt", *SHORT, "--estimator", "cgs", "--seed", 3)
        assert "jaxlda infer: dropped 1 of 7 tokens: 1 word(s), such as 'zebra'" in told.err
        head, *table = rows(told.out)
        assert head == ["document", "topic0", "topic1"] and [row[0] for row in table] == ["0", "1"]
        theta = np.array([row[1:] for row in table], float)
        np.testing.assert_allclose(theta, self.expected(folder, estimator="cgs", seed=3), rtol=1e-5)

    def test_files(self, folder, jaxlda, tmp_path):
        (tmp_path / "new.csv").write_text("text,name\n" + "".join(f"{t},{t[:4]}\n" for t in NEW), encoding="utf-8")
        command = ["infer", folder / "pets.jaxlda", tmp_path / "new.csv", "--title", "name", *SHORT]
        for name in ("theta.npz", "theta.json"):
            told = jaxlda(*command, "--output", tmp_path / name)
            assert told.out == "" and f"written: {tmp_path / name}" in told.err
        with np.load(tmp_path / "theta.npz") as arrays:
            np.testing.assert_array_equal(arrays["theta"], self.expected(folder))
            assert arrays["documents"].tolist() == ["meow", "howl"] and arrays["topics"].tolist() == [
                "topic0",
                "topic1",
            ]
        found = json.loads((tmp_path / "theta.json").read_text(encoding="utf-8"))
        assert [row["document"] for row in found] == ["meow", "howl"]
        assert found[0]["topic1"] == pytest.approx(self.expected(folder)[0, 1], rel=1e-5)

    def test_other_words_altogether(self, folder, jaxlda, tmp_path):
        (tmp_path / "new.ldac").write_text("1 0:2\n", encoding="utf-8")
        told = jaxlda("infer", folder / "pets.jaxlda", tmp_path / "new.ldac", code=2)
        assert "the model knows none of the 1 word(s)" in told.err and "give --vocab" in told.err


def test_evaluate(folder, jaxlda, tmp_path):
    (tmp_path / "held.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    model = library.load(folder / "pets.jaxlda")
    corpus = library.Corpus.from_texts(TEXTS, vocabulary=model.vocab_.tolist())
    expected = model.perplexity_table(corpus, num_chains=2, num_warmup=5, num_samples=3)
    command = ["evaluate", folder / "pets.jaxlda", tmp_path / "held.txt", *SHORT]
    told = jaxlda(*command, "--json")
    assert "Corpus(4 documents, 6 words, 15 tokens), in the words of the model" in told.err
    found = {(row["phi"], row["theta"]): row["perplexity"] for row in json.loads(told.out)}
    assert len(found) == 4
    for (phi, theta), value in found.items():
        assert value == pytest.approx(expected.loc[phi, theta], rel=1e-5)
    out = jaxlda(*command).out
    assert f"φᵖ + θᵖ {expected.loc['phi_p', 'theta_p']:12.1f}" in out


def test_bars_go_where_they_do_not_disturb(folder, jaxlda):
    told = jaxlda("infer", folder / "pets.jaxlda", folder / "new.txt", *SHORT[:-1])
    assert "sweep" in told.err and "sweep" not in told.out


def test_new_texts_are_read_as_those_of_the_model(jaxlda, tmp_path):
    """Stop words are no unknown words, and a text without known words is an empty document."""
    corpus = library.Corpus.from_texts(TEXTS * 3, stop_words=["howl"], token_pattern=r"\w+")
    options = {"num_warmup": 1, "num_samples": 1, "num_chains": 1, "progress": False}
    library.LDA(2, kernel="toy", **options).fit(corpus).save(tmp_path / "m.jaxlda", only="topics")
    (tmp_path / "new.txt").write_text("howl cat\nhowl\nzebra\n", encoding="utf-8")
    told = jaxlda("infer", tmp_path / "m.jaxlda", tmp_path / "new.txt", *SHORT)
    assert "dropped 1 of 2 tokens: 1 word(s), such as 'zebra'" in told.err
    assert [row[1:] for row in rows(told.out)[2:]] == [["0.5", "0.5"]] * 2
    assert "Topics (words by their probability):\n    0  " in jaxlda("topics", tmp_path / "m.jaxlda").out
    jaxlda("topics", tmp_path / "m.jaxlda", "--chain", 0, code=2)


def test_help_shows_the_defaults_of_the_model(capsys):
    from jaxlda import cli

    for command, told in (("fit", "(default: 200)"), ("infer", "(default: 50)"), ("classify", "(default: 5)")):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        assert told in capsys.readouterr().out


def test_fit_tells_the_kernel_that_it_chooses(jaxlda, folder, tmp_path):
    fitting = ["--topics", 2, "--chains", 2, "--warmup", 30, "--samples", 2]
    told = jaxlda("fit", folder / "texts.txt", "--kernel", "auto", *fitting, "--save", tmp_path / "auto.jaxlda").err
    assert "kernel auto: cgs (exact, and the fastest below 400 topics (here 2))" in told
    assert library.load(tmp_path / "auto.jaxlda").kernel_ == "cgs"
