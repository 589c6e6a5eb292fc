# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 10 · GPUs, many devices, many machines
#
# > *"My chains take all night on the laptop. The institute has a machine with four GPUs, and a cluster. How much of my
# > code do I have to rewrite? Will it be faster? And if a job is killed after its 24 hours, is everything lost?"*
#
# None; it depends; and no. The same line runs on a CPU, on one GPU or on several, and the topics of the tokens do not
# depend on how the work was shared out. But Gibbs sampling goes through the tokens **one after another**, and a GPU
# cannot hurry that: for a few chains, many CPU cores are the better machine. A job that was stopped goes on where it
# stood, to the same result, bit for bit. This notebook shows it on whatever machine you have, by *pretending* to have
# four devices.

# %%
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jax
import matplotlib.pyplot as plt
import numpy as np

import jaxlda
from jaxlda import alignment

holder = tempfile.TemporaryDirectory()
folder = Path(holder.name)

# %% [markdown]
# ## What JAX sees
#
# A **device** is something that JAX can run programs on. Without a GPU there is one, the CPU with all its cores. To use
# a GPU, install JAX for it (`pip install "jax[cuda13]"`); nothing else has to change.
#
# Should you? A GPU does thousands of things at once, and each of them slowly. A step of a loop has a fixed price there,
# some microseconds, however little is done in it. A CPU core needs about a tenth of a microsecond per token. So:
#
# | | steps one after another, in a sweep | a GPU |
# |---|---|---|
# | `cgs`, a few chains | one per token | loses to a CPU core |
# | `cgs`, hundreds of chains (`"vectorized"`) | one per token, for all chains together | may pay |
# | `cvb0`, in chunks of tokens | one per chunk | suits it better |
# | `pcgs(theta='drawn')`, `warp` | a few hundred in all | made for it |
# | `vb` | a few per large chunk | suits it best |

# %%
print("backend", jax.default_backend(), "— devices", [str(device) for device in jax.devices()])

# %% [markdown]
# ## Chains are what is shared out
#
# One chain of `cgs` is one token after another, and cannot be cut. But chains have nothing to do with each other, so
# four chains are four pieces of work. There are three ways to run them, called `chain_method`:
#
# | | what happens | good for |
# |---|---|---|
# | `"parallel"` | a thread for each chain, chains dealt out to the devices | CPU (default there) |
# | `"vectorized"` | all chains of a device go from token to token together | GPU, TPU with very many chains |
# | `"sequential"` | one after another | finding errors, little memory |
#
# A fourth, `"sharded"`, cuts the documents instead, for kernels that can do without each other's tokens for a sweep:
# `pcgs`, `cvb0` and `vb`. It is for corpora that one device cannot hold.

# %%
corpus = jaxlda.datasets.load("bars", num_docs=100)
data = corpus.data(num_topics=10, alpha=1.0, beta=0.1)
results, seconds = {}, {}
for method in ("parallel", "vectorized", "sequential"):
    for _ in range(2):  # the first compiles, the second is measured
        began = time.perf_counter()
        results[method] = jaxlda.run(
            jax.random.key(0),
            jaxlda.kernels.cgs(),
            data,
            num_warmup=15,
            num_chains=4,
            keep=("z",),
            trace_every=0,
            chain_method=method,
        )
        seconds[method] = time.perf_counter() - began
same = all(np.array_equal(run.z, results["sequential"].z) for run in results.values())
print("the same topic for every token, whichever way:", same)

one, cut = (jaxlda.run(0, "pcgs", data, num_warmup=15, keep=("z",), chain_method=m) for m in ("sequential", "sharded"))
cut_alike = np.array_equal(one.z, cut.z)
print("and with documents shared out, where the kernel allows it:", cut_alike)

figure, axis = plt.subplots(figsize=(6, 2.2))
axis.barh(list(seconds), list(seconds.values()))
axis.set(xlabel="seconds for four chains of 20 sweeps")
plt.show()

# %% [markdown]
# The times of so small a corpus say little: starting a thread may cost more than it brings, and another program on this
# machine changes the picture. Parallel chains pay with larger corpora and idle cores: with 310,000 tokens, two chains
# on two cores have 1.9 times the throughput of one. What the picture is for is that you can choose by speed *alone*,
# because the results are the same.
#
# Why are they the same? Every sweep of every chain has its own random **key**, computed from the seed, the number of
# the chain and the number of the sweep. Nobody draws from a common stream, so nobody can get in anybody's way. (Between
# kinds of devices, CPU and GPU, sums round differently, and results agree only statistically.)
#
# ## Four devices that we do not have
#
# A setting of XLA, JAX's compiler, divides the CPU into several devices. It is read when Python starts, so we start
# another Python. It runs four chains on one device, then on all four, and compares. With real GPUs, the program would
# be the same without the first line.

# %%
program = """
import json
import jax, numpy as np
import jaxlda
from jaxlda.running import placement

data = jaxlda.datasets.load("bars", num_docs=100).data(num_topics=10, alpha=1.0, beta=0.1)

def z(**options):
    run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=15, num_chains=4, keep=("z",),
                     trace_every=0, **options)
    return run.z

one = z(devices=jax.devices()[:1])
all_of_them = z(devices=jax.devices())
batched = z(devices=jax.devices()[:2], chain_method="vectorized")
print(json.dumps({
    "devices": [str(device) for device in jax.devices()],
    "parallel": [[group.chains, str(group.device)] for group in placement.share_out(8, "parallel")],
    "vectorized": [[group.chains, str(group.device)] for group in placement.share_out(8, "vectorized")],
    "same": bool((one == all_of_them).all() and (one == batched).all()),
    "sum": int(one.sum()),
}))
"""
flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4".strip()
environment = os.environ | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
answer = json.loads(done.stdout.splitlines()[-1])
print(answer["devices"])
print("8 chains, parallel:  ", answer["parallel"])
print("8 chains, vectorized:", answer["vectorized"])
print("the same bits on one device, on four, and on two with two chains each:", answer["same"])

figure, axes = plt.subplots(1, 2, figsize=(9, 2.2), sharey=True)
for axis, method in zip(axes, ("parallel", "vectorized"), strict=True):
    for i, (chains, device) in enumerate(answer[method]):
        number = answer["devices"].index(device)
        color = f"C{number}" if method == "parallel" else f"C{i}"
        axis.scatter(chains, [number] * len(chains), s=200, marker="s", color=color)
        if method == "vectorized":
            axis.plot(chains, [number] * len(chains), color=color, lw=6, alpha=0.4)
    axis.set(xlabel="chain", title=method, yticks=range(4), ylim=(-0.6, 3.6), xticks=range(8))
axes[0].set_ylabel("device")
figure.tight_layout()
plt.show()

# %% [markdown]
# ## A job that is killed
#
# `jaxlda.LDA(..., checkpoint="run.jaxlda", checkpoint_every=60)` writes a file every minute. If the program is killed,
# at any moment, run *the same program again*: it finds the file and goes on. We do the same step by step, with
# `run_blocks`, which stops to let us look after every block of sweeps.

# %%
settings = {"num_warmup": 20, "num_samples": 4, "thinning": 5, "num_chains": 2, "keep": ("z",), "trace_every": 0}
whole = jaxlda.run(jax.random.key(7), jaxlda.kernels.cgs(), data, **settings)

for part in jaxlda.run_blocks(jax.random.key(7), jaxlda.kernels.cgs(), data, block=9, **settings):
    if part.sweep >= 18:
        break  # the power fails
part.save(folder / "run.jaxlda")
print("saved at", part)

found = jaxlda.load(folder / "run.jaxlda")  # the next day, perhaps on another machine
finished = jaxlda.run(jax.random.key(7), jaxlda.kernels.cgs(), found.data, start=found, **settings)
print("finished", finished, "— as if nothing had happened:", np.array_equal(finished.z, whole.z))

# %% [markdown]
# ## Many machines
#
# Chains need no conversation, so neither do machines. Start the same program on each with **another seed**, let each
# save its model, and collect the files. On a cluster this is a *job array*:
#
# ```bash
# #SBATCH --array=0-9
# python fit.py --seed $SLURM_ARRAY_TASK_ID --output model-$SLURM_ARRAY_TASK_ID.jaxlda
# ```
#
# Topics have other numbers in each file; alignment (notebook 5) puts them in order and says which ones all machines
# found. Here are three "machines":

# %%
for seed in range(3):
    model = jaxlda.LDA(
        num_topics=10, alpha=1.0, beta=0.1, num_warmup=150, num_chains=1, seed=seed, trace_every=0, progress=False
    ).fit(corpus)
    model.save(folder / f"model-{seed}.jaxlda")

models = [jaxlda.load(path) for path in sorted(folder.glob("model-*.jaxlda"))]
aligned = alignment.align_all([model.phi_ for model in models])
print("stability of the topics across machines:", aligned.stability.mean.round(2))
together = alignment.average([model.phi_ for model in models], aligned, threshold=0.6)

figure, axes = plt.subplots(4, 10, figsize=(10, 4.4))
for row in range(4):
    for k in range(10):
        if row < 3:
            partner = aligned.permutations[row][k]
            picture = models[row].phi_[partner] if partner >= 0 else np.zeros(25)
        else:
            picture = np.nan_to_num(together.phi[k])
        axes[row, k].imshow(picture.reshape(5, 5), cmap="Greys", vmin=0)
        axes[row, k].set(xticks=[], yticks=[])
    axes[row, 0].set_ylabel(f"machine {row}" if row < 3 else "average", fontsize=9)
plt.show()

# %% [markdown]
# ## Exercises
#
# **1.** You have one GPU and want eight chains. Is that eight times as slow as one?
#
# <details><summary>Answer</summary>
#
# No: vectorized, they go through the tokens together, at little more than the price of one. But that price is high. One
# chain looks at one token at a time and leaves nearly all of a GPU idle, and so do eight. Eight CPU cores would most
# likely be done before. Measure it on your machine before you move there.
#
# </details>
#
# **2.** On the CPU, do more chains than cores make sense?
#
# <details><summary>Answer</summary>
#
# They take turns, so they take longer, but they still tell more about convergence than fewer, longer chains. Four is a
# good number anywhere.
#
# </details>
#
# **3.** Start two machines with the *same* seed. What do you get?
#
# <details><summary>Answer</summary>
#
# The same result, twice. Reproducible, but nothing was gained: R-hat would be perfect, and mean nothing.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
assert same and answer["same"] and cut_alike  # results do not depend on where chains run
if jax.default_backend() == "cpu":
    assert answer["sum"] == int(results["parallel"].z.sum())  # nor on the process
assert len(answer["devices"]) == 4
assert sorted(chain for chains, _ in answer["vectorized"] for chain in chains) == list(range(8))  # every chain, once
assert len({device for _, device in answer["parallel"]}) == 4  # all devices have work
assert part.sweep < whole.sweep and np.array_equal(finished.z, whole.z)  # a killed job loses nothing
assert (aligned.permutations >= 0).mean() > 0.7 and together.stable.any()
holder.cleanup()
