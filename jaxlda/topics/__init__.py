"""A fitted model as tables: its words, its documents and their tokens, and its topics in other chains.

Functions take arrays and give pandas DataFrames; ``jaxlda.plots`` draws them, and takes models as they are.
"""

from jaxlda.topics.counts import (
    DocumentGaps,
    document_gaps,
    gap_edges,
    hard_soft_table,
    histogram_table,
    sampled_gaps,
    soft_row,
)
from jaxlda.topics.documents import find_documents, nearest_documents, top_documents
from jaxlda.topics.effects import effects
from jaxlda.topics.finding import find_topics, pyldavis
from jaxlda.topics.fitted import Fitted, fitted
from jaxlda.topics.maps import condensed, document_map, image_side, named, topic_map
from jaxlda.topics.names import log_likelihood_ratio, phrases, proposed_names
from jaxlda.topics.partners import similarity_table, stability_table
from jaxlda.topics.prevalence import compare_groups, prevalence
from jaxlda.topics.tokens import token_probabilities, token_table, tokens_of
from jaxlda.topics.words import best_words, rank_changes, ranking_table, relevance, word_table

__all__ = [
    "DocumentGaps",
    "Fitted",
    "best_words",
    "compare_groups",
    "condensed",
    "document_gaps",
    "document_map",
    "effects",
    "find_documents",
    "find_topics",
    "fitted",
    "gap_edges",
    "hard_soft_table",
    "histogram_table",
    "image_side",
    "log_likelihood_ratio",
    "named",
    "nearest_documents",
    "phrases",
    "prevalence",
    "proposed_names",
    "pyldavis",
    "rank_changes",
    "ranking_table",
    "relevance",
    "sampled_gaps",
    "similarity_table",
    "soft_row",
    "stability_table",
    "token_probabilities",
    "token_table",
    "tokens_of",
    "top_documents",
    "topic_map",
    "word_table",
]
