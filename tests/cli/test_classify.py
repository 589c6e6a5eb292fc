"""jaxlda classify: labels learned from some documents and given to others."""

import json

import pytest

import jaxlda as library

QUICK = ["--chains", 1, "--samples", 3, "--warmup", 5, "--quiet"]
TOY = ["--kernel", "toy", *QUICK]


@pytest.fixture(scope="module")
def pets(tmp_path_factory):
    """A table of labelled texts, and the same texts as JSON lines without labels."""
    folder = tmp_path_factory.mktemp("pets")
    texts = {"cat purr cat meow": "cats", "dog bark dog growl": "dogs", "purr cat dog bark": "cats;dogs"}
    table = [f"{text},{labels}\n" for text, labels in texts.items()] * 6
    (folder / "train.csv").write_text("text,labels\n" + "".join(table), encoding="utf-8")
    (folder / "some.csv").write_text("text,labels\n" + "".join(table) + "cat dog,\n", encoding="utf-8")
    (folder / "new.csv").write_text("text,labels\npurr meow purr,cats\nbark growl,dogs;pets\n", encoding="utf-8")
    (folder / "new.jsonl").write_text('{"text": "purr meow purr"}\n{"text": "bark growl"}\n', encoding="utf-8")
    (folder / "new.txt").write_text("purr meow purr\nbark growl\n", encoding="utf-8")
    return folder


def test_classify(pets, jaxlda, tmp_path):
    output, saved = tmp_path / "labels.jsonl", tmp_path / "pets.jaxlda"
    files = [pets / "train.csv", pets / "new.csv"]
    told = jaxlda("classify", *files, *QUICK, "--count", 1, "--output", output, "--save", saved)
    assert [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()] == [["cats"], ["dogs"]]
    assert "18 documents" in told.err and "2 labels); 2 documents to classify" in told.err
    assert "1 label(s) of the test documents have no training document, and count as missed" in told.err
    assert "F1: micro 0.800, macro 0.667, example-based 0.833" in told.out  # two of three labels found, none too many
    assert "one error 0.000" in told.out and "(0 / 0 counts as 0)" in told.out
    assert library.load(saved).classes_.tolist() == ["cats", "dogs"]


@pytest.mark.parametrize(("name", "options"), [("new.jsonl", ["--no-labels"]), ("new.txt", [])])
def test_labels_of_documents_without_any_are_printed(pets, jaxlda, name, options):
    out = jaxlda("classify", pets / "train.csv", pets / name, *TOY, "--count", 1, *options).out
    assert len([json.loads(line) for line in out.splitlines()]) == 2 and "F1" not in out


@pytest.mark.parametrize(
    ("arguments", "params"),
    [
        ([], {"rank_by": "soft_counts", "count": "metalabeler", "unlabeled": "error", "thinning": 5}),
        (["--count", "metalabeler", "--rank-by", "theta"], {"count": "metalabeler", "rank_by": "theta"}),
        (["--count", "0.3", "--alpha", "0.7"], {"count": 0.3, "alpha": 0.7, "beta": 0.1}),
        (["--model", "plda", "--count", "2", "--seed", "4"], {"count": 2, "topics_per_label": 2, "seed": 4}),
    ],
)
def test_what_is_not_given_is_the_default_of_the_model(pets, jaxlda, tmp_path, arguments, params):
    files = [pets / "train.csv", pets / "new.csv"]
    jaxlda("classify", *files, *TOY, *arguments, "--save", tmp_path / "m", "--output", tmp_path / "out")
    model = library.load(tmp_path / "m")
    assert {name: model.get_params()[name] for name in params} == params
    new = library.io.read_csv(files[1])
    expected = model.predict_sets(new, num_chains=1, num_samples=3, num_warmup=5)
    lines = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert [set(json.loads(line)) for line in lines] == expected


def test_defaults_of_sampling_are_the_models(pets, jaxlda, tmp_path):
    files = [pets / "train.csv", pets / "new.csv"]
    jaxlda("classify", *files, "--kernel", "toy", "--model", "plda", "--quiet", "--save", tmp_path / "m")
    schedule = library.load(tmp_path / "m").run_.schedule
    assert schedule == (200, 30, 5) and library.load(tmp_path / "m").run_.num_chains == 4


def test_documents_without_labels_may_be_skipped(pets, jaxlda):
    files = [pets / "some.csv", pets / "new.csv"]
    told = jaxlda("classify", *files, *TOY, code=2).err
    assert "some.csv: 1 document(s) have no label, the first being document 18; give --skip-unlabeled" in told
    assert "F1" in jaxlda("classify", *files, *TOY, "--skip-unlabeled").out


def test_more_labels_than_there_are(pets, jaxlda, tmp_path):
    files = [pets / "train.csv", pets / "new.csv"]
    told = jaxlda("classify", *files, *TOY, "--count", 3, "--save", tmp_path / "m", code=2)
    assert "count is 3, but there are only 2 labels" in told.err and not (tmp_path / "m").exists()


def test_ctrl_c_saves_what_there_is(pets, jaxlda, tmp_path, interrupted):
    interrupted(3)
    files = [pets / "train.csv", pets / "new.csv"]
    told = jaxlda("classify", *files, *TOY, "--save", tmp_path / "m", code=130)
    assert "Stopped at sweep 3 of 20" in told.err and told.out == ""
    assert library.load(tmp_path / "m").run_.sweep == 3


def test_a_file_without_labels(pets, jaxlda):
    assert "new.txt has no labels to learn from" in jaxlda("classify", pets / "new.txt", pets / "new.txt", code=2).err
