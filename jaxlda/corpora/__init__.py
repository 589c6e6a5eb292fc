"""Documents as counts of words: the corpus, its priors, and where both come from (readers, data sets)."""
