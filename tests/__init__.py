"""Tests: the folders mirror the package, `laws` holds what every kernel must obey."""
