"""JSON: lines and arrays of objects."""

import json

import pytest

from jaxlda.corpora.readers import read_jsonl
from tests.corpora.readers.files import write

JSONL = """{"text": "a cat sat", "kind": ["pet", "small"], "id": "one"}

{"text": "a shark"}
{"text": "a dog", "kind": "pet"}
"""
ARRAY = """[
  {"body": "a cat sat", "kind": ["pet", "small"]},
  {"body": "a shark"},
  "a dog"
]
""".replace('"a dog"', '{"body": "a dog", "kind": "pet"}')


@pytest.fixture
def file(tmp_path):
    return lambda content, name="file": write(tmp_path / name, content)


def test_json_lines(file):
    corpus = read_jsonl(file(JSONL), labels="kind", title="id")
    assert corpus.vocab.tolist() == ["cat", "dog", "sat", "shark"] and corpus.titles == ("one", "", "")
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 1], [0, 0], [1, 0]]
    assert read_jsonl(file(JSONL)).labels is None
    nothing = JSONL.replace('"kind": "pet"', '"kind": null')
    assert read_jsonl(file(nothing), labels="kind").labels.toarray().sum() == 2


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('{"text": "a shark"}', '{"text": "a shark"', "file, line 3: is not JSON: "),
        ('{"text": "a shark"}', '["a shark"]', "line 3: expected an object {...}, found "),
        ('{"text": "a shark"}', '{"txt": "a shark"}', "line 3: has no 'text'; it has 'txt'"),
        ('{"text": "a shark"}', "{}", "line 3: has no 'text'; it has nothing"),
        ('"a shark"', "[1]", "line 3: 'text' is an array, not a string"),
        ('"a shark"', '{"a": "b"}', "line 3: 'text' is an object, not a string"),
        ('"a shark"', '"\\ud800"', "line 3: 'text' has half a character"),
        ('["pet", "small"]', '{"a": 1}', "line 1: 'kind' is .* not a string"),
        ('"one"', "[1]", "line 1: 'id' is an array, not a string"),
        (JSONL, '{\n "text": "a shark"\n}\n', "line 1: is not JSON: .*; an object takes one line, or all stand in an"),
        ('"a shark"', "[" * 100_000, "line 3: is not JSON"),
        ('"a shark"', "9" * 5000, "line 3: is not JSON"),
        (JSONL, "", "file: the corpus has no documents"),
    ],
)
def test_wrong_json_lines(file, old, new, message):
    assert JSONL.count(old) == 1
    with pytest.raises(ValueError, match=message):
        read_jsonl(file(JSONL.replace(old, new)), labels="kind", title="id")


def test_json_keys_are_free(file):
    content = json.dumps({"a b": "x cat"}) + "\n"
    assert read_jsonl(file(content), "a b", token_pattern="[a-z]+").vocab.tolist() == ["cat", "x"]


def test_numbers_and_null(file):
    content = '{"text": 1984, "kind": 3, "id": 7}\n{"text": null, "kind": [4.5, null, true], "id": null}\n'
    with pytest.warns(UserWarning, match=r"file: 1 text\(s\) are null, the first in line 2: empty documents"):
        corpus = read_jsonl(file(content), labels="kind", title="id")
    assert corpus.vocab.tolist() == ["1984"] and corpus.titles == ("7", "")
    assert corpus.label_names.tolist() == ["3", "4.5", "true"] and corpus.n_d.tolist() == [1, 0]


def test_arrays(file):
    corpus = read_jsonl(file(ARRAY), labels="kind")
    assert corpus.vocab.tolist() == ["cat", "dog", "sat", "shark"]
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 1], [0, 0], [1, 0]]
    assert read_jsonl(file('["a cat", "a dog"]')).vocab.tolist() == ["cat", "dog"]
    assert read_jsonl(file('"a cat"\n"a dog"\n')).vocab.tolist() == ["cat", "dog"]


@pytest.mark.parametrize(
    "content, message",
    [
        ("[]", "file: the corpus has no documents"),
        (ARRAY[:-3], "file, line 4: is not JSON: expected ',' or ']' after an element of the array"),
        (ARRAY + "x", "line 5: has more after the end of the array"),
        (ARRAY.replace('"a shark"', "nothing"), "line 3: is not JSON"),
        (ARRAY.replace('"a shark"', "null"), None),
        (ARRAY.replace('{"body": "a shark"}', "7"), "line 3: expected an object {...}, found a number"),
        (ARRAY.replace('{"body": "a shark"}', "[7]"), "line 3: expected an object {...}, found an array"),
        (ARRAY.replace('{"body": "a shark"}', "[" * 100_000), "line 3: is not JSON"),
        (ARRAY.replace('{"body": "a shark"}', ""), "line 3: is not JSON"),
    ],
)
def test_wrong_arrays(file, content, message):
    if message is None:
        with pytest.warns(UserWarning, match="null"):
            assert read_jsonl(file(content)).num_docs == 3
    else:
        with pytest.raises(ValueError, match=message.replace("{...}", "{\\.\\.\\.}")):
            read_jsonl(file(content))


def test_the_key_of_texts_is_found(file, caplog):
    caplog.set_level("INFO", "jaxlda.io")
    assert read_jsonl(file(ARRAY)).num_docs == 3
    assert "texts are under 'body', the key with most letters" in caplog.messages
