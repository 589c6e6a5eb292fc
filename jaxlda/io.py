"""The public door of ``jaxlda.corpora.readers`` and ``jaxlda.corpora.writers``."""

from jaxlda.corpora import readers, writers
from jaxlda.corpora.readers import *
from jaxlda.corpora.writers import *

__all__ = [*readers.__all__, *writers.__all__]
