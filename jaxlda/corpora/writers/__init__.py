"""Corpora and samples into files that readers of ``jaxlda.io``, and other programs, take."""

from jaxlda.corpora.writers.corpora import write_corpus
from jaxlda.corpora.writers.mallet import write_mallet_doc_topics, write_mallet_state, write_mallet_topic_keys

__all__ = ["write_corpus", "write_mallet_doc_topics", "write_mallet_state", "write_mallet_topic_keys"]
