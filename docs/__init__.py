"""The documentation site: ``python -m docs`` builds it."""
