"""Widgets of the settings: they follow the session, and the session them."""

import math
from typing import Any

import panel as pn
import param

from jaxlda_app.store import Session

__all__ = ["SETTINGS", "setting"]

SETTINGS = {
    "num_topics": ("Topics K", "More topics are finer topics."),
    "model_name": (
        "Model",
        "LDA learns from the words alone; LabeledLDA and PriorLDA have a topic for each label, and learn from both.",
    ),
    "kernel": (
        "Kernel",
        "How topics are found: cgs is collapsed Gibbs sampling; cvb0 and vb (variational Bayes) keep probabilities "
        "instead of drawing; light, warp and pcgs draw faster where there are many topics.",
    ),
    "kernel_options": ("Options", "Of the kernel, such as chunk=256 for cvb0; empty for the usual ones."),
    "alpha": ("α", "The prior of the topics of a document: the smaller, the fewer it has."),
    "beta": ("β", "The prior of the words of a topic: the smaller, the fewer it has."),
    "num_chains": (
        "Chains",
        "Samplers that start differently: what all of them find is more than chance.",
    ),
    "num_warmup": ("Burn-in, sweeps", "Sweeps before the first draw is kept, as topics are random at first."),
    "num_samples": ("Draws kept", "Of each chain, after the burn-in."),
    "thinning": ("Sweeps per draw", "From one draw to the next, so that they are not too much alike."),
    "seed": ("Seed", "The same seed gives the same chains."),
    "held_share": ("Held out, share", "Of the documents, to test on: they are not sampled."),
}
"""Settings of the session: what they are called, and what they mean."""


def setting(session: Session, name: str) -> pn.widgets.Widget:
    """The widget of a setting. Numbers are typed: a slider cannot tell 20 topics from 21."""
    label, description = SETTINGS[name]
    shown: dict[str, Any] = {"label": label, "description": description, "width": 130}
    parameter: Any = session.param[name]
    if name in ("model_name", "kernel"):
        return pn.widgets.Select.from_param(parameter, **shown)
    if name == "kernel_options":
        return pn.widgets.TextInput.from_param(parameter, **shown)
    whole = isinstance(parameter, param.Integer)
    step = 1 if whole else 0.05 if name == "held_share" else 0.01
    widget: Any = (pn.widgets.IntInput if whole else pn.widgets.FloatInput)(step=step, **shown)

    def follow(*events: Any) -> None:
        """What a model with labels chooses by itself is not shown: the number of topics, and alpha if none is given."""
        value = getattr(session, name)
        widget.visible = value is not None and (name != "num_topics" or session.model_name == "LDA")
        if value is not None:
            widget.value = value

    def tell(event: Any) -> None:
        """What will not do is told, and not left standing as if it did."""
        try:
            if event.new is None or not math.isfinite(event.new):
                raise ValueError
            setattr(session, name, event.new)
        except ValueError:
            session.message = f"{label} must be {_range(parameter)}: it stays as it was."
            session.post(follow)

    follow()
    widget.param.watch(tell, "value")
    session.param.watch(follow, [name, "model_name"])
    return widget


def _range(parameter: Any) -> str:
    """The values that a number may have, in words."""
    low, high = parameter.bounds
    what = "a whole number" if isinstance(parameter, param.Integer) else "a number"
    return f"{what} above {low:,}" if high is None else f"{what} from {low:,} to {high:,}"
