"""The picture of the README: ``python -m benchmarks.picture`` (two minutes)."""

from pathlib import Path

import jax
import matplotlib.pyplot as plt
import numpy as np

import jaxlda
from jaxlda import evaluation

TARGET = Path(__file__).parent / "overview.png"
SAMPLES = (1, 2, 3, 5, 10, 20, 30)


def topics(axes: np.ndarray) -> None:
    """The bars: what was put in is what comes out."""
    corpus, _ = jaxlda.datasets.bars(num_docs=500)
    model = jaxlda.LDA(num_topics=10, alpha=1.0, num_warmup=200, num_chains=4, progress=False).fit(corpus)
    side = int(corpus.num_words**0.5)
    for axis, topic in zip(axes.flat, model.phi_, strict=True):
        axis.imshow(topic.reshape(side, side), cmap="Greys", vmin=0)
        axis.set(xticks=[], yticks=[])


def traces(axis: plt.Axes, corpus: jaxlda.Corpus) -> jaxlda.LDA:
    """Four chains find their way."""
    model = jaxlda.LDA(num_topics=20, num_warmup=1000, num_chains=4, trace_every=2, progress=False).fit(corpus)
    for chain, values in enumerate(model.run_.trace["log_likelihood"]):
        seen = np.flatnonzero(~np.isnan(values))
        axis.plot(seen + 1, values[seen], lw=1, label=f"chain {chain}")
    axis.axvspan(1, 1000, color="0.93", zorder=0)
    axis.set(xlabel="sweep", ylabel="log-likelihood per token", xscale="log", title="Four chains at once (Reuters)")
    axis.legend(frameon=False, fontsize=8)
    return model


def perplexities(axis: plt.Axes, model: jaxlda.LDA, test: jaxlda.Corpus) -> None:
    """The paper's first experiment: theta and theta_p against the number of samples averaged."""
    observed, held = test.halves(seed=0)
    styles = {"theta": ("C0", "θ, hard counts"), "theta_p": ("C3", "θᵖ, transition probabilities")}
    for phi_kind, line in (("phi", "--"), ("phi_p", "-")):
        phi = model.estimates(phi_kind)
        data = observed.data(phi=phi, alpha=model.alpha)
        run = jaxlda.run(
            jax.random.key(1),
            jaxlda.kernels.cgs(),
            data,
            num_warmup=50,
            num_samples=max(SAMPLES),
            keep=("theta", "theta_p"),
            trace_every=0,
        )
        for kind, (color, label) in styles.items():
            draws = getattr(run, kind)[0]
            values = [
                evaluation.perplexity(evaluation.log_likelihood(phi, draws[:s].mean(0), held), held.num_tokens)
                for s in SAMPLES
            ]
            name = f"{'φᵖ' if phi_kind == 'phi_p' else 'φ'} + {label}"
            axis.plot(SAMPLES, values, line, color=color, marker="o", ms=3, label=name)
    axis.set(xlabel="samples averaged", ylabel="perplexity of the unseen half", title="Better from the same samples")
    axis.legend(frameon=False, fontsize=8)


def main() -> None:
    """Draw it."""
    figure = plt.figure(figsize=(13, 3.6), layout="constrained")
    left, middle, right = figure.subfigures(1, 3, width_ratios=(0.9, 1.1, 1.1))
    left.suptitle("Topics of the bars, recovered", fontsize=12)
    topics(left.subplots(2, 5))
    train, test = jaxlda.datasets.load("reuters").split(seed=0)
    model = traces(middle.subplots(), train)
    perplexities(right.subplots(), model, test)
    figure.savefig(TARGET, dpi=110)
    print(f"wrote {TARGET}")


if __name__ == "__main__":
    main()
