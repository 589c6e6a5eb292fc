"""The settings of a session: what the next run is like."""

from typing import Any

import numpy as np
import param

import jaxlda
from jaxlda.models import parameters as declared
from jaxlda_app.snapshots import Model, Snapshot, kernel_name

__all__ = ["KERNELS", "MODELS", "PRESETS", "SETTINGS", "Settings"]

MODELS = ("LDA", "LabeledLDA", "PriorLDA")
KERNELS = ["auto", *sorted(jaxlda.kernels.KERNELS)]
SETTINGS = ("num_topics", "kernel", "alpha", "beta", "num_warmup", "num_samples", "thinning", "num_chains", "seed")
"""Parameters of models that people choose here."""
PRESETS: dict[str, dict[str, int]] = {
    "Quick look": {"num_chains": 2, "num_warmup": 50, "num_samples": 10, "thinning": 2},
    "Standard": {"num_chains": 4, "num_warmup": 200, "num_samples": 30, "thinning": 5},
    "Careful": {"num_chains": 4, "num_warmup": 1000, "num_samples": 100, "thinning": 10},
    "Many chains": {"num_chains": 16, "num_warmup": 200, "num_samples": 30, "thinning": 5},
}
_DECLARED = {one.name: one for one in declared.LDA}


def _whole(name: str, most: int, default: int | None = None) -> Any:
    """A whole number, as the models declare it."""
    one = _DECLARED[name]
    bounds = (1 if one.kind == "positive" else 0, most)
    return param.Integer(one.default if default is None else default, bounds=bounds, doc=one.doc)


def _prior(name: str) -> Any:
    one = _DECLARED[name]
    return param.Number(
        one.default, bounds=(0, None), inclusive_bounds=(False, True), allow_None=name == "alpha", doc=one.doc
    )


class Settings(param.Parameterized):
    """Model, kernel, priors and schedule."""

    model_name: str = param.Selector(default="LDA", objects=list(MODELS))  # type: ignore[assignment]
    kernel: str = param.Selector(default="cgs", objects=KERNELS, check_on_set=False)  # type: ignore[assignment]
    kernel_options = param.String("")
    num_topics = _whole("num_topics", 5000, default=20)
    alpha = _prior("alpha")
    beta = _prior("beta")
    num_chains = _whole("num_chains", 64)
    num_warmup = _whole("num_warmup", 1_000_000)
    num_samples = _whole("num_samples", 100_000)
    thinning = _whole("thinning", 10_000)
    seed = _whole("seed", 2**32 - 1)
    held_share = param.Number(0.1, bounds=(0, 0.5))

    snapshot: Snapshot | None
    _own: dict[str, Any] | None = None
    """Settings before those of a run that is looked at."""

    @property
    def kernel_text(self) -> str:
        """The kernel with its options, as ``jaxlda.kernels.find`` takes it."""
        options = self.kernel_options.strip()
        return f"{self.kernel}({options})" if options else self.kernel

    @property
    def preset(self) -> str | None:
        """The preset that the schedule is that of, if it is one's."""
        return next(
            (name for name, one in PRESETS.items() if all(getattr(self, k) == v for k, v in one.items())),
            None,
        )

    def params(self) -> dict[str, Any]:
        """The parameters of the model that would be fitted."""
        taken = getattr(jaxlda, self.model_name).parameters
        params = {one.name: getattr(self, one.name) for one in taken if one.name in SETTINGS}
        params |= {"trace_every": 5, "gap_every": 5, "progress": False}
        params["kernel"] = self.kernel_text
        if self.model_name != "LDA":
            params["unlabeled"] = "skip"
        return params

    @property
    def changed_settings(self) -> list[str]:
        """Settings that differ from those of the run that is shown; they apply when a run is started."""
        if self.snapshot is None or self.snapshot.run.algorithm is None or self._own is not None:
            return []
        name, params = self.snapshot.model
        if name != self.model_name:
            return ["model_name"]
        return [key for key, value in self.params().items() if key in SETTINGS and not _alike(value, params.get(key))]

    def _adopt(self, model: Any) -> None:
        """Show the settings of a model, as far as they are numbers."""
        if self._own is None:
            self._own = {name: getattr(self, name) for name in ("model_name", *SETTINGS, "kernel_options")}
        name, params = type(model).__name__, model.get_params(deep=False)
        if name in MODELS:
            self.model_name = name
        for setting in SETTINGS:
            if setting == "kernel":
                continue
            value = np.unique(np.asarray(params.get(setting)))
            if value.size == 1 and value[0] is not None:
                number = value[0].item()
                # Single precision knows 0.01 as 0.009999999776.
                setattr(self, setting, float(str(np.float32(number))) if isinstance(number, float) else number)
        if model.run_.algorithm is not None:
            kernel = kernel_name(Model(name, params), model.run_)
            name, _, options = kernel.removesuffix(")").partition("(")
            # What wraps another kernel is shown as a whole.
            self.kernel, self.kernel_options = (name, options) if name in KERNELS else (kernel, "")

    def _restore(self) -> None:
        """Take one's own settings back, after those of a run that was looked at."""
        if self._own is not None:
            own, self._own = self._own, None
            self.param.update(model_name=own.pop("model_name"))
            self.param.update(**own)

    @param.depends("model_name", watch=True)
    def _use_defaults(self) -> None:
        """Priors that suit the model."""
        usual = {one.name: one.default for one in getattr(jaxlda, self.model_name).parameters}
        self.param.update(alpha=usual["alpha"], beta=usual["beta"])


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, int | float):
        return bool(np.float32(one) == np.float32(other))
    return bool(np.array_equal(one, other))
