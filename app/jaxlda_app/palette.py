"""Colours, each with one meaning on the whole page, and what Material UI makes of them.

Those of data are the library's (Paul Tol's bright scheme, told apart also by people who do not see all colours): hard
counts red, soft counts blue, what is chosen purple, chains in the order of ``CHAINS``.
"""

from typing import Any

from jaxlda.plots.canvas import CHOSEN, COLORS, GREY, HARD, INK, SOFT

__all__ = ["CHAINS", "CHOSEN", "GREY", "HARD", "INK", "PAGE", "SOFT", "THEME"]

CHAINS = COLORS
_PRIMARY = {"light": "#24557a", "dark": "#8cbfe8"}
_SURFACE = {"light": ("#f6f8fa", "#ffffff"), "dark": ("#0d1117", "#161b22")}
_TEXT = {"light": ("#1f2328", "#57606a"), "dark": ("#e6edf3", "#a9b4c0")}
# Text and its ground have a contrast of 4.5 at least in both.
_VERDICTS = {
    "light": {"success": "#1a7f37", "warning": "#8a5300", "error": "#b42318", "info": "#24557a"},
    "dark": {"success": "#57c46d", "warning": "#e3a83b", "error": "#ff8a80", "info": "#8cbfe8"},
}
_COMPONENTS: dict[str, Any] = {
    "MuiToggleButton": {
        "styleOverrides": {
            "root": {"padding": "5px 12px", "fontSize": "0.875rem", "whiteSpace": "nowrap", "width": "auto"}
        }
    },
    "MuiToggleButtonGroup": {"styleOverrides": {"root": {"flexWrap": "wrap"}}},
    "MuiFormLabel": {"styleOverrides": {"root": {"fontSize": "0.75rem", "lineHeight": 1.5}}},
}
"""Labels stand above what they belong to, as small as those of Bokeh's boxes, and buttons are as high as these."""


def _theme(mode: str) -> dict[str, Any]:
    ground, surface = _SURFACE[mode]
    text, muted = _TEXT[mode]
    return {
        "palette": {
            "primary": {"main": _PRIMARY[mode]},
            "background": {"default": ground, "paper": surface},
            "text": {"primary": text, "secondary": muted},
            **{name: {"main": color} for name, color in _VERDICTS[mode].items()},
        },
        "typography": {
            "fontFamily": 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif',
            "fontSize": 13,
            "h3": {"fontSize": "1.25rem", "fontWeight": 700},
            "h4": {"fontSize": "1.375rem", "fontWeight": 600},
            "h5": {"fontSize": "1.125rem", "fontWeight": 600},
            "h6": {"fontSize": "1rem", "fontWeight": 600},
            "button": {"textTransform": "none"},
        },
        "shape": {"borderRadius": 6},
        "components": _COMPONENTS,
    }


THEME = {"light": _theme("light"), "dark": _theme("dark")}
_HEADER = {"backgroundColor": "#1d4766", "backgroundImage": "none", "boxShadow": "none", "color": "#ffffff"}
PAGE = {
    ".MuiAppBar-root": _HEADER,  # light and dark
    ".MuiToolbar-root": {"minHeight": 52},
    "main": {"backgroundColor": "background.default"},  # cards stand out from it
}
"""How the frame of the page looks."""
