"""The experiments of the paper, a file for each section; ``scale="smoke"`` shows in a minute that one works."""
