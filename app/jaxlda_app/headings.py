"""What figures and tables are called in reports, by the names that their files have."""

__all__ = ["FIGURES", "TABLES", "figure_heading", "table_heading"]

FIGURES = {
    "topics_map": "Map of the topics",
    "topics_images": "The topics as images",
    "topics_words": "Words of the chosen topic, before how often they occur at all",
    "topics_ranks": "Words that φ and φᵖ rank differently",
    "topics_stability": "The topics in the other chains",
    "topics_aligned": "The topics of two chains, each against each",
    "document_proportions": "Topics of the chosen document",
    "document_map": "Map of the documents",
    "convergence_likelihood": "Log-likelihood by sweep",
    "convergence_perplexity": "Training perplexity by sweep",
    "convergence_moved": "Tokens that changed topic, by sweep",
    "convergence_rhat": "R-hat by draws",
    "convergence_ess": "Effective sample size by draws",
    "convergence_traces": "Draws of the chains",
    "convergence_densities": "Densities of the chains' draws",
    "convergence_ranks": "Ranks of the chains' draws",
    "convergence_autocorrelation": "Autocorrelation of the chains",
    "convergence_compared": "CGS, CGSₚ and CVB0 compared",
    "counts_gap": "The gap between hard and soft counts, by sweep",
    "counts_documents": "The gap of the documents",
    "counts_document": "Hard and soft counts of the chosen document",
    "counts_document_difference": "Soft minus hard counts of the chosen document",
    "counts_word": "Hard and soft counts of the chosen word",
    "counts_word_difference": "Soft minus hard counts of the chosen word",
    "perplexity_by_samples": "Perplexity of held-out documents, by samples",
    "word_association": "Words that the cue leads to",
    "perplexity_by_k": "Perplexity by number of topics",
    "precision_and_recall": "Precision and recall of the labels",
}
"""In the order of the report."""
TABLES = {
    "topics": "The topics: places on the map, shares and words",
    "topic_list": "The topics: shares with intervals, words, coherence and stability",
    "words": "Words of the chosen topic",
    "similar_topics": "Topics like the chosen one",
    "ranks": "Words that φ and φᵖ rank differently",
    "stability": "The topics in the other chains",
    "aligned": "The topics of two chains, each against each",
    "pairs": "The topics of two runs, with their partners",
    "qualities": "How good the topics of two runs are",
    "numbers_of_topics": "Numbers of topics compared",
    "documents": "Documents with the largest share of the chosen topic",
    "document_proportions": "Topics of the chosen document",
    "document_map": "The documents: places on the map and main topics",
    "nearest_documents": "Documents nearest to the chosen one",
    "convergence": "Quantities of the highest R-hat",
    "gaps": "The gap of the documents",
    "counts_of_document": "Hard and soft counts of the chosen document",
    "counts_of_word": "Hard and soft counts of the chosen word",
    "perplexity_by_samples": "Perplexity of held-out documents, by samples",
    "word_association": "Words that the cue leads to",
    "f_measures": "F1 of each pair of estimators",
    "labels": "The labels",
    "predictions": "Labels predicted for the documents",
}


def figure_heading(name: str) -> str:
    """The heading of a figure; its name in words where it has none."""
    return FIGURES.get(name, name.replace("_", " ").capitalize())


def table_heading(name: str) -> str:
    """The heading of a table."""
    return TABLES.get(name, name.replace("_", " ").capitalize())
