"""Tables of what was computed, and figures of tables. Nothing else in the package imports Bokeh."""
