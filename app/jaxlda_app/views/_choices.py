"""What is looked at, chosen with widgets that several views have: they follow the session, and the session them."""

from typing import Any

import panel as pn
import panel_material_ui as pmui

from jaxlda_app.store import Session

__all__ = ["CLEAR", "chain_choice", "document_choice", "estimate_choice", "other_choice", "topic_choice"]

CLEAR: dict[str, Any] = {"color": "primary", "size": "small"}  # what is chosen stands out, light and dark
BEST, NEXT = {"the best": -1}, {"the next": -1}  # a list cannot show None


def chain_choice(session: Session) -> pn.widgets.Select:
    """The chain to look at."""
    choice = pn.widgets.Select(label="Chain", options=BEST, value=-1, width=110)

    def follow(*events: Any) -> None:
        chains = 0 if session.snapshot is None else session.snapshot.run.num_chains
        if len(choice.options) != chains + 1:
            choice.options = BEST | {str(chain): chain for chain in range(chains)}
        choice.value = -1 if session.chain is None or session.chain >= chains else session.chain

    session.param.watch(follow, ["snapshot", "chain"])
    follow()
    choice.param.watch(lambda event: session.param.update(chain=None if event.new == -1 else event.new), "value")
    return choice


def other_choice(session: Session) -> pn.widgets.Select:
    """Another chain, to compare with the one that is looked at; kept by nobody else."""
    choice = pn.widgets.Select(label="Other chain", options=NEXT, value=-1, width=110)

    def follow(*events: Any) -> None:
        chains = 0 if session.snapshot is None else session.snapshot.run.num_chains
        options = NEXT | {str(chain): chain for chain in range(chains) if chain != session.shown_chain}
        if options != choice.options:
            choice.param.update(options=options, value=choice.value if choice.value in options.values() else -1)

    session.param.watch(follow, ["snapshot", "chain"])
    follow()
    return choice


def topic_choice(session: Session) -> pn.widgets.IntInput:
    """The topic to look at, by the number that the model gives it."""
    return _number(session, "topic", "Topic", lambda run: run.data.priors.alpha.shape[-1])


def document_choice(session: Session) -> pn.widgets.IntInput:
    """The document to look at."""
    return _number(session, "document", "Document", lambda run: run.data.tokens.n_d.shape[0])


def estimate_choice(session: Session) -> pmui.RadioButtonGroup:
    """Hard or soft counts, where one of them is to be shown."""
    choice = pmui.RadioButtonGroup(label="Counts", options={"Soft": True, "Hard": False}, value=session.soft, **CLEAR)
    choice.link(session, value="soft", bidirectional=True)
    return choice


def _number(session: Session, name: str, label: str, size: Any) -> pn.widgets.IntInput:
    choice = pn.widgets.IntInput(label=label, value=getattr(session, name), start=0, width=110)

    def follow(*events: Any) -> None:
        if session.snapshot is not None:
            choice.end = size(session.snapshot.run) - 1
        choice.value = getattr(session, name)

    def tell(event: Any) -> None:
        if event.new is not None:
            session.param.update(**{name: event.new})

    session.param.watch(follow, ["snapshot", name])
    follow()
    choice.param.watch(tell, "value")
    return choice
