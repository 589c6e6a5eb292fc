"""One chain on several cores: what it gains, and what it costs in quality.

    python -m benchmarks.blocks quality                  # blocks against exact CGS, five seeds each
    python -m benchmarks.blocks speed --topics 100 500   # one core and several, beside tomotopy with as many workers

Times are nanoseconds per token and sweep, the best of many sweeps by turns: a sweep is short enough to find all cores
free now and then, also on a machine that has other work.
"""

import argparse
import os
from collections.abc import Callable
from functools import partial

import jax
import numpy as np

import jaxlda
from benchmarks import peers
from benchmarks.corpora import named
from benchmarks.speed import Chain, Table, show
from benchmarks.timing import by_turns


def quality(corpus: jaxlda.Corpus, num_topics: int, workers: int, sweeps: int = 200, seeds: int = 5) -> Table:
    """Log-likelihood per token of training documents, and perplexity of others, after so many sweeps."""
    train, test = corpus.split(0.2, seed=0)
    table: Table = []
    first = 0.0
    for kernel in ("cgs", f"blocks(workers={workers})"):
        scores = []
        for seed in range(seeds):
            model = jaxlda.LDA(num_topics, kernel=kernel, num_warmup=sweeps, num_chains=1, seed=seed, progress=False)
            model.fit(train)
            scores.append((model.log_likelihood() / train.num_tokens, model.perplexity(test)))
        (likelihood, perplexity), errors = np.mean(scores, 0), np.std(scores, 0, ddof=1) / np.sqrt(seeds)
        first = first or perplexity
        numbers = {
            "per token": f"{likelihood:.4f} ± {errors[0]:.4f}",
            "perplexity": f"{perplexity:.1f} ± {errors[1]:.1f}",
            "/ cgs": f"{perplexity / first:.4f}",
        }
        table.append({"kernel": kernel, "K": num_topics} | numbers)
    return table


def speed(corpus: jaxlda.Corpus, topics: list[int], workers: int, rounds: int) -> Table:
    """One chain on one core and on several."""
    table: Table = []
    for K in topics:
        data = corpus.data(K, alpha=0.1, beta=0.01)
        blocks = f"blocks(workers={workers})"
        programs: dict[str, Callable[[], object]] = {
            kernel: partial(Chain(jaxlda.kernels.find(kernel), data).sweep, 1) for kernel in ("cgs", blocks)
        }
        for n in (1, workers):
            programs[f"tomotopy {n}"] = peers.tomotopy(corpus, K, 1, workers=n)
        best = by_turns(programs, rounds)
        ns = {name: seconds / corpus.num_tokens * 1e9 for name, seconds in best.items()}
        ratios = {"speed-up": ns["cgs"] / ns[blocks], "/ tomotopy": ns[blocks] / ns[f"tomotopy {workers}"]}
        table.append({"K": K} | ns | ratios)
    return table


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["quality", "speed"])
    parser.add_argument("--corpus", default="reuters", help="synthetic, or a name that jaxlda.datasets.load knows")
    parser.add_argument("--topics", type=int, nargs="+", default=[100])
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=40, help="of sweeps by turns")
    options = parser.parse_args()
    corpus = named(options.corpus)
    print(f"JAX {jax.__version__}, {os.cpu_count()} cores, {options.corpus}: {corpus.num_tokens} tokens")
    if options.what == "speed":
        show("speed", speed(corpus, options.topics, options.workers, options.rounds))
        return
    for K in options.topics:
        show("quality", quality(corpus, K, options.workers))


if __name__ == "__main__":
    main()
