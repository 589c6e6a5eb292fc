"""The formulas of the guided tab as MathML, which browsers draw themselves: no script, no network."""

__all__ = ["DRAW", "MODEL", "SOFT", "SWEEP", "folded"]


def _i(name: str, index: str = "", raised: str = "") -> str:
    base = f"<mi>{name}</mi>"
    if raised:
        return f"<msubsup>{base}<mi>{index}</mi><mi>{raised}</mi></msubsup>"
    return f"<msub>{base}<mi>{index}</mi></msub>" if index else base


def _math(*parts: str) -> str:
    return f'<math display="block"><mrow>{"".join(parts)}</mrow></math>'


def _o(text: str) -> str:
    return f'<mo stretchy="false">{text}</mo>'


def _fraction(above: str, below: str) -> str:
    return f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>"


_WORD = _fraction(_i("n", "k,w") + _o("+") + _i("β"), _i("n", "k") + _o("+") + _i("V") + _i("β"))
_DOCUMENT = _o("(") + _i("n", "d,k") + _o("+") + _i("α") + _o(")")

_P = _i("p") + _o("(") + _i("z", "i") + _o("=") + _i("k") + _o(")")
_SUM, _SUM_OF_WORD, _SUM_OF_DOCUMENT = (
    f"<munder><mo>∑</mo><mrow>{where}</mrow></munder>{_P}"
    for where in (_i("i"), _i("i") + _o(":") + _i("w", "i") + _o("=") + _i("w"), _i("i") + _o("∈") + _i("d"))
)
_SPACE = "<mspace width='1em'/>"


def _drawn(value: str, prior: str) -> str:
    return value + _o("~") + "<mtext>Dir</mtext>" + _o("(") + _i(prior) + _o("),") + _SPACE


def _share(above: str, prior: str, below: str, number: str) -> str:
    return _fraction(above + _o("+") + _i(prior), below + _o("+") + _i(number) + _i(prior))


_TOKEN = _i("z", "i") + _o("~") + _i("θ", "d") + _o(",") + _SPACE + _i("w", "i") + _o("~") + _i("φ", "z")
MODEL = _math(_drawn(_i("θ", "d"), "α"), _drawn(_i("φ", "k"), "β"), _TOKEN)
DRAW = _math(_i("p"), _o("("), _i("z", "i"), _o("="), _i("k"), _o(")"), _o("∝"), _DOCUMENT, _o("·"), _WORD)
SWEEP = _math(
    *(_i("φ", "k,w"), _o("="), _WORD, _o(","), _SPACE),
    *(_i("θ", "d,k"), _o("="), _share(_i("n", "d,k"), "α", _i("n", "d"), "K")),
)
SOFT = _math(
    *(_i("φ", "k,w", "p"), _o("="), _share(_SUM_OF_WORD, "β", _SUM, "V"), _o(","), _SPACE),
    *(_i("θ", "d,k", "p"), _o("="), _share(_SUM_OF_DOCUMENT, "α", _i("n", "d"), "K")),
)


def folded(formula: str, words: str) -> str:
    """A formula and what its letters mean, behind a line that opens it."""
    return f"<details><summary>Show the formula</summary>{formula}<p>{words}</p></details>"
