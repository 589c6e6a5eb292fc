"""Runs: the loop over sweeps, where chains run, what is noted on the way, the result, and its file."""
