"""Measurements side by side with peers, as ratios within one run: machines are noisy, ratios less so."""
