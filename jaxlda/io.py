"""The public door of ``jaxlda.corpora.readers``."""

from jaxlda.corpora.readers import *
from jaxlda.corpora.readers import __all__ as __all__
