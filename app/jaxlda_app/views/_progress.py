"""How far a run is, in words."""

import jax

from jaxlda_app.store import Session, Snapshot, kernel_name
from jaxlda_app.words import counted

__all__ = ["speed", "state"]

STATUS = {
    "idle": "Ready: press Start.",
    "queued": "Waiting for a worker.",
    "running": "Sampling.",
    "paused": "Paused.",
    "finished": "Finished.",
    "stopped": "Stopped.",
    "failed": "Failed.",
}


def state(session: Session, snapshot: Snapshot | None) -> str:
    """What goes on, how far it is, and how long it takes."""
    if snapshot is None:
        if session.corpus is None:
            return "Loading the documents."
        return session.asked or ("Compiling." if session.status == "running" else STATUS[session.status])
    run, job = snapshot.run, session.job
    words = [session.asked or STATUS[session.status], f"Sweep {run.sweep:,} of {run.schedule.total:,}"]
    before = 0 if job is None else session.jobs.before(job)
    if session.status == "running":
        left = None if job is None else job.seconds_left
        words[-1] += f", {duration(left)} left." if left is not None else "."
    else:
        words[-1] += "."
    if before and session.status in ("running", "queued"):
        others = "Another run takes" if before == 1 else f"{before:,} other runs take"
        words.append(f"{others} turns with this one.")
    draws = run.num_draws
    kept = f"{counted(run.num_chains, 'chain')}, {counted(draws, 'draw')} of each."
    words.append(kept if draws else "Burn-in: no draws yet.")
    return " ".join(words)


def speed(session: Session, snapshot: Snapshot | None) -> str:
    """By what it is sampled, where, and how fast."""
    device = jax.devices()[0]
    on = f"on {device.platform.upper()} ({device.device_kind})" if device.platform != "cpu" else "on the CPU"
    if snapshot is None:
        return f"Runs {on}."
    if snapshot.run.algorithm is None:
        return "The sample of another program."
    fast = f", {snapshot.tokens_per_second / 1e6:,.1f} million tokens per second" if snapshot.tokens_per_second else ""
    taken = f"; {snapshot.seconds:,.1f} s so far" if snapshot.seconds else ""
    return f"{snapshot.model.name} by {kernel_name(snapshot.model, snapshot.run)} {on}{fast}{taken}."


def duration(seconds: float) -> str:
    """About how long, in words.

    >>> duration(12.3), duration(600), duration(7200)
    ('about 12 s', 'about 10 min', 'about 2.0 h')
    """
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    minutes = seconds / 60
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.1f} h"
