"""The public door of ``jaxlda.corpora.datasets``."""

from jaxlda.corpora.datasets import *
from jaxlda.corpora.datasets import __all__ as __all__
