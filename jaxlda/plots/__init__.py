"""Figures of tables. They need ``pip install 'jaxlda[app]'``, and nothing else in the package does."""
