"""Files and other programs' objects: into corpora, and into samples that the estimators take like our own.

Names load on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names as in _NAMES below, for type checkers and editors
    from jaxlda.corpora.readers._samples import Imported as Imported
    from jaxlda.corpora.readers.archives import read_folder as read_folder
    from jaxlda.corpora.readers.archives import read_zip as read_zip
    from jaxlda.corpora.readers.bags import read_ldac as read_ldac
    from jaxlda.corpora.readers.bags import read_uci as read_uci
    from jaxlda.corpora.readers.bags import read_vocab as read_vocab
    from jaxlda.corpora.readers.corpora import read_corpus as read_corpus
    from jaxlda.corpora.readers.corpora import recognise as recognise
    from jaxlda.corpora.readers.extreme import from_multilabel as from_multilabel
    from jaxlda.corpora.readers.extreme import read_extreme as read_extreme
    from jaxlda.corpora.readers.instances import read_mallet_instances as read_mallet_instances
    from jaxlda.corpora.readers.mallet import read_mallet_doc_topics as read_mallet_doc_topics
    from jaxlda.corpora.readers.mallet import read_mallet_state as read_mallet_state
    from jaxlda.corpora.readers.mallet import read_mallet_topic_keys as read_mallet_topic_keys
    from jaxlda.corpora.readers.matrices import read_matrix_market as read_matrix_market
    from jaxlda.corpora.readers.matrices import read_svmlight as read_svmlight
    from jaxlda.corpora.readers.mulan import read_mulan as read_mulan
    from jaxlda.corpora.readers.objects import read_jsonl as read_jsonl
    from jaxlda.corpora.readers.parquet import read_parquet as read_parquet
    from jaxlda.corpora.readers.programs import from_gensim as from_gensim
    from jaxlda.corpora.readers.programs import from_lda as from_lda
    from jaxlda.corpora.readers.programs import from_sklearn as from_sklearn
    from jaxlda.corpora.readers.programs import from_tomotopy as from_tomotopy
    from jaxlda.corpora.readers.tables import read_csv as read_csv
    from jaxlda.corpora.readers.text import read_text as read_text
    from jaxlda.corpora.readers.warplda import read_warplda as read_warplda

# Modules of this package, and their public names.
_NAMES = {
    "_samples": "Imported",
    "archives": "read_folder read_zip",
    "bags": "read_ldac read_uci read_vocab",
    "corpora": "read_corpus recognise",
    "extreme": "from_multilabel read_extreme",
    "instances": "read_mallet_instances",
    "mallet": "read_mallet_doc_topics read_mallet_state read_mallet_topic_keys",
    "matrices": "read_matrix_market read_svmlight",
    "mulan": "read_mulan",
    "objects": "read_jsonl",
    "parquet": "read_parquet",
    "programs": "from_gensim from_lda from_sklearn from_tomotopy",
    "tables": "read_csv",
    "text": "read_text",
    "warplda": "read_warplda",
}
_LAZY = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_LAZY)


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'jaxlda.io' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"jaxlda.corpora.readers.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
