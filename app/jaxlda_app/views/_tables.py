"""How tables of text look."""

__all__ = ["TABLE"]

TABLE = """
table { border-collapse: collapse; font-size: .8125rem; width: 100%; }
th { position: sticky; top: 0; background: var(--mui-palette-background-paper, Canvas); }
th, td { padding: 4px 8px; text-align: left; vertical-align: top; border-bottom: 1px solid #8884; }
td { overflow-wrap: break-word; max-width: 28rem; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
"""
