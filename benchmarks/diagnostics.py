"""What diagnostics cost: ``python -m benchmarks.diagnostics``.

The same four chains with everything that ``LDA`` keeps by default, a checkpoint file and a verdict at the end, and with
nothing traced, kept or written, by turns. Processor time of all threads is compared, which other programs on the
machine disturb least.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import jaxlda
from benchmarks.corpora import named


def seconds(corpus: jaxlda.Corpus, num_topics: int, num_samples: int, judged: bool) -> tuple[float, float]:
    """Processor seconds of the fit, and of the verdict."""
    with TemporaryDirectory() as folder:
        options = {"checkpoint": Path(folder) / "run.jaxlda"} if judged else {"trace_every": 0, "keep": ()}
        model = jaxlda.LDA(num_topics, num_samples=num_samples, progress=False, **options)
        began = time.process_time()
        model.fit(corpus)
        fitted = time.process_time()
        if judged:
            model.diagnostics()
        return fitted - began, time.process_time() - fitted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="synthetic")
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    corpus = named(options.corpus)
    for judged in (False, True):  # compilation and imports are no part of it
        seconds(corpus, options.topics, 4, judged)
    plain, whole = [], []
    for _ in range(options.rounds):
        plain.append(sum(seconds(corpus, options.topics, options.samples, judged=False)))
        fit, verdict = seconds(corpus, options.topics, options.samples, judged=True)
        whole.append(fit + verdict)
        print(
            f"{plain[-1]:.1f} s without, {fit:.1f} s with traces, draws and file, {verdict:.2f} s for the verdict",
            flush=True,
        )
    print(f"diagnostics cost {min(whole) / min(plain) - 1:.1%} of the sampling")


if __name__ == "__main__":
    main()
