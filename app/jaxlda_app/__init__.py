"""The dashboard: chains, counts, topics and documents in the browser while they are sampled. ``jaxlda dashboard``."""
