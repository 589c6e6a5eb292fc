"""Eleven notebooks that teach LDA, as scripts that jupytext opens; ``python -m notebooks.render`` runs them."""
