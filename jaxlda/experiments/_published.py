"""The paper's tables of the multi-label experiments: mean and spread over five runs, as printed."""

__all__ = ["DATA_SETS", "PAPER"]

DATA_SETS = ("delicious", "bioasq", "bibtex", "bookmarks")

# measure -> configuration -> method -> (mean, spread) of each of DATA_SETS.
_TABLES = """
micro 1x1 phi+theta 0.2126 0.0034 0.3075 0.0041 0.2388 0.0024 0.1546 0.0042
micro 1x1 phi+theta_p 0.2472 0.0038 0.3616 0.0037 0.2985 0.0029 0.1696 0.0036
micro 1x1 phi_p+theta 0.2127 0.0027 0.3081 0.0038 0.2337 0.0026 0.1542 0.0046
micro 1x1 phi_p+theta_p 0.2531 0.0032 0.3623 0.0041 0.2900 0.0021 0.1712 0.0027
micro 1x1 cvb0 0.2761 0.0015 0.4122 0.0032 0.2907 0.0014 0.1810 0.0032
micro 5x30 phi+theta 0.2699 0.0017 0.4509 0.0021 0.2873 0.0011 0.1819 0.0011
micro 5x30 phi+theta_p 0.3184 0.0015 0.4628 0.0019 0.3704 0.0013 0.2035 0.0018
micro 5x30 phi_p+theta 0.2699 0.0019 0.4509 0.0024 0.2842 0.0015 0.1820 0.0023
micro 5x30 phi_p+theta_p 0.3189 0.0012 0.4633 0.0009 0.36277 0.0005 0.2039 0.0024
micro 5x30 cvb0 0.2773 0.0008 0.4125 0.0006 0.2910 0.0002 0.1811 0.0004
macro 1x1 phi+theta 0.0337 0.0012 0.1767 0.0039 0.1582 0.0033 0.0928 0.0017
macro 1x1 phi+theta_p 0.0597 0.0020 0.2160 0.0031 0.2019 0.0030 0.1009 0.0023
macro 1x1 phi_p+theta 0.0332 0.0015 0.1769 0.0040 0.1548 0.0031 0.0930 0.0019
macro 1x1 phi_p+theta_p 0.0585 0.0018 0.2168 0.0036 0.1946 0.0036 0.1015 0.0016
macro 1x1 cvb0 0.0466 0.0010 0.3039 0.0014 0.2232 0.0021 0.1169 0.0008
macro 5x30 phi+theta 0.0373 0.0006 0.3011 0.0014 0.2144 0.0013 0.1167 0.0009
macro 5x30 phi+theta_p 0.0874 0.0004 0.3138 0.0016 0.2693 0.0011 0.1294 0.0008
macro 5x30 phi_p+theta 0.0362 0.0011 0.3016 0.0015 0.2086 0.0017 0.1168 0.0013
macro 5x30 phi_p+theta_p 0.0855 0.0012 0.3146 0.0016 0.2579 0.0021 0.1299 0.0011
macro 5x30 cvb0 0.0481 0.0003 0.3075 0.0005 0.2237 0.0008 0.1173 0.0006
example 1x1 phi+theta 0.2047 0.0019 0.2930 0.0037 0.2546 0.0031 0.2007 0.0031
example 1x1 phi+theta_p 0.2389 0.0023 0.3400 0.0042 0.3127 0.0036 0.2152 0.0032
example 1x1 phi_p+theta 0.2035 0.0014 0.2942 0.0034 0.2472 0.0028 0.1999 0.0029
example 1x1 phi_p+theta_p 0.2444 0.0019 0.3402 0.0037 0.3048 0.0033 0.2166 0.0031
example 1x1 cvb0 0.2672 0.0015 0.3504 0.0018 0.2995 0.0017 0.2225 0.0021
example 5x30 phi+theta 0.2625 0.0007 0.4180 0.0029 0.2958 0.0023 0.2226 0.0005
example 5x30 phi+theta_p 0.3118 0.0011 0.4269 0.0020 0.3807 0.0011 0.2424 0.0016
example 5x30 phi_p+theta 0.2610 0.0012 0.4181 0.0023 0.2922 0.0016 0.2229 0.0007
example 5x30 phi_p+theta_p 0.3086 0.0007 0.4276 0.0025 0.3733 0.0021 0.2431 0.0009
example 5x30 cvb0 0.2690 0.0004 0.3568 0.0021 0.2997 0.0005 0.2227 0.0003
"""


def _read() -> dict[tuple[str, str, str, str], tuple[float, float]]:
    paper = {}
    for line in _TABLES.strip().splitlines():
        measure, configuration, method, *numbers = line.split()
        pairs = zip(map(float, numbers[::2]), map(float, numbers[1::2]), strict=True)
        for name, pair in zip(DATA_SETS, pairs, strict=True):
            paper[measure, configuration, method, name] = pair
    return paper


PAPER = _read()
"""(measure, configuration, method, data set) -> (mean, spread)."""
