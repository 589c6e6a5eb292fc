"""Files and other programs' objects: into corpora, and into samples that the estimators take like our own.

Names load on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names as in _LAZY below, for type checkers and editors
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
    from jaxlda.corpora.readers.mallet import read_mallet_state as read_mallet_state
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

# Public name -> the module of this package that has it.
_LAZY = {
    "Imported": "_samples",
    "from_gensim": "programs",
    "from_lda": "programs",
    "from_multilabel": "extreme",
    "from_sklearn": "programs",
    "from_tomotopy": "programs",
    "read_corpus": "corpora",
    "read_csv": "tables",
    "read_extreme": "extreme",
    "read_folder": "archives",
    "read_jsonl": "objects",
    "read_ldac": "bags",
    "read_mallet_instances": "instances",
    "read_mallet_state": "mallet",
    "read_matrix_market": "matrices",
    "read_mulan": "mulan",
    "read_parquet": "parquet",
    "read_svmlight": "matrices",
    "read_text": "text",
    "read_uci": "bags",
    "read_vocab": "bags",
    "read_warplda": "warplda",
    "read_zip": "archives",
    "recognise": "corpora",
}

__all__ = sorted(_LAZY)


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'jaxlda.io' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"jaxlda.corpora.readers.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
