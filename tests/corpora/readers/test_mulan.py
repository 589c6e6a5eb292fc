"""Mulan's ARFF and XML: what is read, every way a file can be wrong, and files damaged at random."""

import gzip

import numpy as np
import pytest

from jaxlda import datasets
from jaxlda.corpora.readers import read_mulan
from tests.corpora.readers.files import write
from tests.simulated import assert_canonical

SPARSE = """% a comment
@relation 'some thing'

@attribute cat {0,1}
@ATTRIBUTE 'it\\'s' numeric
@attribute TAG_a {0, 1}
@attribute "two words" INTEGER
@attribute TAG_b {'0','1'}
@data
{0 1, 1 3,2 1}

{}
% between
{ 4 1 , 3 2.0 }
"""
DENSE = SPARSE[: SPARSE.index("{0 1, 1")] + "1,3,1,0,0\n0,0,0,0,0\n0, 0 ,0,2.0,1\n"
XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="TAG_b"><label name="TAG_a"></label></label>
</labels>
"""


MEKA = """@relation 'pets: -C 2 -split-number 2'
@attribute TAG_m\\'usica {false,true}
@attribute 'TAG b' {'no', "yes"} {0.5}
@attribute id string
@attribute cat numeric [0,10]
@attribute "say \\"hi\\"" integer
@attribute when date 'yyyy-MM-dd'
@attribute 100% real{2}
@data
true,'no','one, two',1,3,'2001-01-01',0
{1 yes,2 "it\\'s",3 2}, {0.5}
'false',"yes",three,0,0,?,1.0
"""


@pytest.fixture
def read(tmp_path):
    def reader(arff=SPARSE, xml=XML, **options):
        return read_mulan(write(tmp_path / "x.arff", arff), write(tmp_path / "x.xml", xml), **options)

    return reader


@pytest.mark.parametrize("content", [SPARSE, DENSE, SPARSE.replace("\n", "\r\n"), "\ufeff" + SPARSE, DENSE.rstrip()])
def test_sparse_and_dense(read, content):
    corpus = read(content)
    assert_canonical(corpus.counts)
    assert corpus.vocab.tolist() == ["cat", "it's", "two words"] and corpus.label_names.tolist() == ["TAG_b", "TAG_a"]
    assert corpus.counts.toarray().tolist() == [[1, 3, 0], [0, 0, 0], [0, 0, 2]]
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 1], [0, 0], [1, 0]]


def test_gzipped_and_other_encodings(read, tmp_path):
    assert read(gzip.compress(SPARSE.encode())).num_tokens == 6
    latin = SPARSE.replace("cat", "chaîne").encode("latin-1")
    assert read(latin, encoding="latin-1").vocab[0] == "chaîne"
    assert read(SPARSE.replace("cat", "chaîne")).vocab[0] == "chaîne"


def test_presence(read):
    weights = SPARSE.replace("1 3,", "1 0.25,").replace("3 2.0", "3 -1e-3")
    assert read(weights, values="presence").counts.toarray().tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    with pytest.raises(
        ValueError, match=r"x\.arff, line 10: the word \"it's\" = 0\.25 is not a whole number.*presence"
    ):
        read(SPARSE.replace("1 3,", "1 0.25,"))
    with pytest.raises(ValueError, match="values must be 'counts' or 'presence'; got 'weights'"):
        read(values="weights")


def replaced(old, new, text=SPARSE):
    assert text.count(old) == 1, old
    return text.replace(old, new)


@pytest.mark.parametrize(
    "arff, message",
    [
        ("", r"x\.arff: has no line @data"),
        (SPARSE[: SPARSE.index("@data")], "has no line @data: it is truncated"),
        (SPARSE[: SPARSE.index(",2 1}")], "line 10: the row does not end in }: it is cut"),
        (replaced("{0 1, 1 3,2 1}", "{0 1, 1 3,2 1}, {x}"), "line 10: .*expected 'index value', found '2 1}"),
        (replaced("1 3,", "1 x,"), "line 10: expected 'index value', found '1 x'"),
        (replaced("1 3,", "1 ?,"), r"line 10: expected 'index value', found '1 \?'"),
        (replaced("1 3,", "1 nan,"), "line 10: expected 'index value', found '1 nan'"),
        (replaced("1 3,", "1 1_0,"), "line 10: expected 'index value', found '1 1_0'"),
        (replaced("1 3,", "-1 3,"), "line 10: expected 'index value', found '-1 3'"),
        (replaced("1 3,", "0 3,"), "line 10: attribute 0 occurs twice"),
        (replaced("1 3,", "5 3,"), "line 10: there is no attribute 5: the 5 are numbered from 0 to 4"),
        (replaced("1 3,", "999999999 3,"), "line 10: there is no attribute 999999999"),
        (
            replaced("1 3,", "99999999999999999999 3,"),
            "line 10: expected 'index value', found '99999999999999999999 3'",
        ),
        (replaced("1 3,", "1 -3,"), 'line 10: the word "it\'s" = -3 is negative'),
        (replaced("1 3,", "1 1e400,"), 'line 10: the word "it\'s" is not a finite number'),
        (replaced("1 3,", "1 1e10,"), r"line 10: the word \"it's\" = 1e\+10 is above the largest count"),
        (replaced("{ 4 1", "{ 4 2"), "line 14: the label 'TAG_b' = 2; a label is 0 or 1"),
        (replaced("1,3,1,0,0", "1,3,1,0", DENSE), r"line 10: has 4 value\(s\), but there are 5 attributes"),
        (replaced("1,3,1,0,0", "1,3,1,0,0,0", DENSE), r"line 10: has 6 value\(s\)"),
        (replaced("1,3,1,0,0", "1,?,1,0,0", DENSE), r"line 10: the attribute \"it's\" is '\?', not a number; missing"),
        (replaced("1,3,1,0,0", "1,,1,0,0", DENSE), "line 10: the attribute \"it's\" is '', not a number"),
        (replaced("cat {0,1}", "cat {1,0}"), "line 4: the first value of 'cat' is 1, .* list 0 first"),
        (
            replaced("cat {0,1}", "cat {red,blue}"),
            "line 4: the attribute 'cat' has the value 'red', which is not a number, nor false or true",
        ),
        (replaced("cat {0,1}", "cat relational"), "line 4: the attribute 'cat' is of type 'relational'"),
        (replaced("cat {0,1}", "cat {0,1"), "line 4: cannot read the values of the attribute 'cat'"),
        (replaced("cat {0,1}", "cat"), "line 4: cannot read the attribute"),
        (replaced("cat {0,1}", "'cat {0,1}"), "line 4: cannot read the attribute"),
        (replaced("cat {0,1}", "'c''t' {0,1}"), "line 4: cannot read the name in .* has a backslash before it"),
        (replaced("@attribute cat", "@atribute cat"), "line 4: expected @attribute or @data, found '@atribute cat"),
        (replaced("cat {0,1}", "TAG_a {0,1}"), "line 6: the attribute 'TAG_a' was declared in line 4"),
        ("@relation r\n@data\n1\n", "line 2: @data comes before any @attribute"),
        (SPARSE[: SPARSE.index("{0 1")], r"x\.arff: the corpus has no documents"),
        (SPARSE[: SPARSE.index("{0 1")] + "{2 1}\n", r"x\.arff: the corpus has no tokens"),
        (SPARSE.replace("cat", "c\x81t").encode("latin-1"), r"line 4: is not utf-8 .*give encoding="),
        (gzip.compress(SPARSE.encode())[:-12], "the packed file is truncated or damaged after line"),
    ],
)
def test_wrong_arff(read, arff, message):
    with pytest.raises(ValueError, match=message):
        read(arff)


BOMB = """<?xml version="1.0"?>
<!DOCTYPE labels [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<labels><label name="&b;"/></labels>
"""
OUTSIDE = '<!DOCTYPE labels [<!ENTITY a SYSTEM "file:///etc/hostname">]><labels>&a;<label name="TAG_a"/></labels>'


@pytest.mark.parametrize(
    "xml, message",
    [
        (BOMB, r"x\.xml, line 2: declares a document type or entities"),
        (OUTSIDE, "line 1: declares a document type or entities"),
        ('<!DOCTYPE labels SYSTEM "other.dtd"><labels/>', "line 1: declares a document type"),
        (replaced("TAG_a", "TAG_c", XML), r"x\.xml, line 3: the label 'TAG_c' is not an attribute of .*x\.arff"),
        (replaced("TAG_a", "TAG_b", XML), "line 3: the label 'TAG_b' was named in line 3"),
        (replaced('<label name="TAG_a">', "<label>", XML), "line 3: a <label> has no name"),
        ("<labels/>", "names no labels"),
        ("", "is not well-formed XML: no element found"),
        (XML[:-12], "line 3: is not well-formed XML"),
        (replaced("TAG_a", "&undefined;", XML), "line 3: is not well-formed XML: undefined entity"),
        (replaced("TAG_a", "TAG_\xe4", XML).encode("latin-1"), "line 3: is not utf-8"),
        *(
            (replaced("utf-8", name, XML), rf"x\.xml, line 1: declares the encoding '{name}', which is not read")
            for name in ("klingon", "utf-7", "shift_jis", "punycode", "rot13", "undefined", "idna")
        ),
        (
            "<l>" + "".join(f'<label name="{n}"/>' for n in ["cat", "it's", "TAG_a", "two words", "TAG_b"]) + "</l>",
            "no words",
        ),
    ],
)
def test_wrong_xml(read, xml, message):
    with pytest.raises(ValueError, match=message):
        read(xml=xml)


def test_limits(read):
    with pytest.raises(ValueError, match=r"x\.arff: holds more than 100 bytes unpacked; give a larger max_bytes"):
        read(max_bytes=100)
    bomb = gzip.compress(b" " * 10_000_000)
    with pytest.raises(ValueError, match="holds more than 1000000 bytes"):
        read(bomb, max_bytes=1_000_000)
    with pytest.raises(ValueError, match="max_bytes must be at least 1"):
        read(max_bytes=0)
    with pytest.raises(ValueError, match="there is no encoding 'klingon'"):
        read(encoding="klingon")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_mulan("nowhere.arff", "nowhere.xml")


def test_long_lines_that_almost_fit_are_refused_quickly(read):
    with pytest.raises(ValueError, match="line 10"):
        read(SPARSE.replace("{0 1, 1 3,2 1}", "{" + "0 " + "1" * 400_000 + "x}"))
    with pytest.raises(ValueError, match="line 4"):
        read(SPARSE.replace("cat {0,1}", "'" + "\\" * 400_001))


def test_bibtex(data_file):
    xml = data_file("bibtex.xml")
    for part in ("train", "test"):
        data_file(f"bibtex_{part}.npz")
        corpus = read_mulan(data_file(f"bibtex-{part}.arff"), xml)
        known = datasets.load("bibtex", part=part)
        assert (corpus.counts != known.counts).nnz == 0 and (corpus.labels != known.labels).nnz == 0
        assert np.array_equal(corpus.vocab, known.vocab) and np.array_equal(corpus.label_names, known.label_names)


# ------------------------------------------------------------------------------------------ as WEKA and MEKA write


def test_meka(tmp_path):
    with pytest.warns(UserWarning, match=r"x\.arff: the weights of 1 row\(s\) are ignored"):
        corpus = read_mulan(write(tmp_path / "x.arff", MEKA))
    assert corpus.label_names.tolist() == ["TAG_m'usica", "TAG b"] and corpus.titles == ("one, two", "it's", "three")
    assert corpus.vocab.tolist() == ["cat", 'say "hi"', "100%"]
    assert corpus.counts.toarray().tolist() == [[1, 3, 0], [2, 0, 0], [0, 0, 1]]
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 0], [0, 1], [0, 1]]
    last = read_mulan(write(tmp_path / "x.arff", DENSE.replace("'some thing'", "'x:  -C -1'")))
    assert last.label_names.tolist() == ["TAG_b"] and last.num_words == 4


@pytest.mark.parametrize("name", ["TAG_m'usica", "TAG_m\\\\'usica"])
def test_labels_may_be_escaped_in_xml_or_not(tmp_path, name):
    arff = "@relation x\n@attribute cat numeric\n@attribute TAG_m\\'usica {0,1}\n@data\n1,0\n2,1\n"
    xml = f'<labels><label name="{name}"/></labels>'.replace("\\\\", "\\")
    corpus = read_mulan(write(tmp_path / "x.arff", arff), write(tmp_path / "x.xml", xml))
    assert corpus.label_names.tolist() == ["TAG_m'usica"] and corpus.labels.sum() == 1


@pytest.mark.parametrize(
    "relation, message",
    [
        ("pets", r"x\.arff: is an ARFF file: name its labels with an XML file"),
        ("pets: -C 7", "the relation says -C 7, but there are 7 attributes"),
        ("pets: -C 0", "the relation says -C 0"),
        ("pets: -C 3", "the label 'id' is a string, not 0 or 1"),
    ],
)
def test_wrong_meka(tmp_path, relation, message):
    with pytest.raises(ValueError, match=message):
        read_mulan(write(tmp_path / "x.arff", MEKA.replace("pets: -C 2", relation)))


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16", "windows-1252", "us-ascii", "UTF-8"])
def test_encodings_of_xml(read, encoding):
    assert read(xml=replaced("utf-8", encoding, XML).encode(encoding)).labels.sum() == 2


def test_weights_of_attributes_and_quoted_values(read):
    content = replaced("cat {0,1}", "cat {'0', \"1\"} {2.5}").replace("{0 1, 1 3", "{0 '1', 1 3")
    assert read(content).counts.toarray().tolist() == [[1, 3, 0], [0, 0, 0], [0, 0, 2]]
    assert read(replaced("TAG_a {0, 1}", "TAG_a {no, YES}").replace(",2 1}", ",2 YES}")).labels.sum() == 2
