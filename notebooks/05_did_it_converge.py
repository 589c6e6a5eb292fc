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
# # 5 · Did it converge?
#
# > *"I ran LDA twice and got different topics. Which run is right? And topic 4 of the first is topic 11 of the second:
# > has something gone wrong?"*
#
# Two quite different things can be behind it. Topics that have only changed their **numbers** are no problem, once they
# are put into the same order. Chains that have settled on **different topics** are a problem, and no single chain can
# tell you about it. So run several, and compare.

# %%
import matplotlib.pyplot as plt
import numpy as np

import jaxlda
from jaxlda import alignment, diagnostics

# %% [markdown]
# ## Four chains
#
# A *chain* is one run of the sampler from its own random start. Four chains on the bars, whose topics we would
# recognise:

# %%
corpus, truth = jaxlda.datasets.bars(num_docs=100, seed=4)
model = jaxlda.LDA(
    num_topics=10, alpha=1.0, beta=1.0, num_warmup=200, num_samples=100, thinning=5, num_chains=4, progress=False
).fit(corpus)

figure, axes = plt.subplots(4, 10, figsize=(10, 4.4))
for c in range(4):
    for k, picture in enumerate(model.estimates("phi_p", chain=c)):
        axes[c, k].imshow(picture.reshape(5, 5), cmap="Greys", vmin=0)
        axes[c, k].set(xticks=[], yticks=[])
        if c == 0:
            axes[c, k].set_title(f"topic {k}", fontsize=9)
    axes[c, 0].set_ylabel(f"chain {c}", fontsize=9)
plt.show()

# %% [markdown]
# All chains have found all bars, each in an order of its own. This is **label switching**: the model does not know
# topics by name, so every order is as good as every other.
#
# ## R-hat: do the chains tell the same story?
#
# R-hat compares how much a number varies *between* chains with how much it varies *within* each. If all chains walk
# through the same region, both are alike and R-hat is near 1. If every chain keeps to a region of its own, it is large.
#
# Let us ask it about one number, the probability of the first pixel in "topic 0":

# %%
phi = model.run_.phi  # every draw: (chain, draw, topic, word)
naive = diagnostics.rhat(phi[:, :, 0, 0].astype(float))
print(f"R-hat of φ[0, 0] as it is numbered: {naive:.2f}")

# %% [markdown]
# Terrible, and meaningless: topic 0 is something else in every chain. Before comparing, topics have to be **aligned**:
# match the topics of each chain with those of a reference chain so that matched topics are as alike as possible. The
# **stability** of a topic is how like its partners in the other chains it is, on average: 1 if all chains have found
# the very same topic, 0 if none of them has anything like it.

# %%
aligned = alignment.align_all(phi.mean(1), reference=model.best_chain_)
print(aligned.permutations)
print("stability of each topic", aligned.stability.mean.round(3))

ordered = np.stack([phi[c][:, aligned.permutations[c]] for c in range(4)])
after = [diagnostics.rhat(ordered[:, :, k, v].astype(float)) for k in range(10) for v in range(0, 25, 6)]
print(f"R-hat of φ after alignment: {np.median(after):.3f} (median), {np.max(after):.3f} (highest of {len(after)})")

figure, axes = plt.subplots(1, 2, figsize=(11, 2.8), sharey=True, layout="constrained")
v = int(phi[0].mean(0)[0].argmax())
for axis, draws, title in zip(axes, (phi, ordered), ("as numbered", "aligned"), strict=True):
    for c in range(4):
        axis.plot(draws[c, :, 0, v], lw=0.8, label=f"chain {c}")
    axis.set(title=title, xlabel="draw", ylabel=f"φ of word {v} in topic 0")
axes[1].legend(fontsize=8, ncols=4, loc="lower center")
plt.show()

# %% [markdown]
# ## Numbers that need no alignment
#
# Some quantities do not change when topics are renamed: the log joint $\log p(w, z)$, the sizes of the topics in order
# of size, how alike two documents are. They are the safest to compare. A **trace** shows one of them sweep by sweep;
# what comes before the curves level off is the *burn-in* (`num_warmup`), and is thrown away.

# %%
trace = model.run_.trace["log_joint"]
figure, axis = plt.subplots(figsize=(8, 2.8))
for c in range(4):
    seen = np.flatnonzero(~np.isnan(trace[c]))
    axis.plot(seen + 1, trace[c, seen], lw=0.8, label=f"chain {c}")
axis.axvspan(1, 200, color="0.92", zorder=0)
axis.set(xlabel="sweep (burn-in shaded)", ylabel="log joint")
axis.legend(fontsize=8)
plt.show()

# %% [markdown]
# ## Effective sample size
#
# Draws of a chain are not independent: each starts where the last one ended. 100 draws that hardly move are worth less
# than 100 fresh ones. The **effective sample size** (ESS) says how many independent draws would tell as much.

# %%
log_joint = model.diagnostics().draws("log joint")
rho = diagnostics.autocorrelation(log_joint)
print(f"{log_joint.size} draws in all are worth {diagnostics.ess(log_joint):.0f}")

figure, axis = plt.subplots(figsize=(6, 2.5))
for c in range(4):
    axis.plot(rho[c, :30], lw=1)
axis.axhline(0, color="k", lw=0.5)
axis.set(xlabel="lag in draws", ylabel="autocorrelation")
plt.show()

# %% [markdown]
# ## The verdict
#
# `diagnostics()` looks at all of this, aligned where needed, and says what it means. In the table below the sentence,
# *bulk* ESS is about the middle of the distribution and *tail* ESS about its ends; *likeness* is that of 16 pairs of
# documents; each line shows the worst of its `number` quantities.

# %%
found = model.diagnostics()
print(found)

# %% [markdown]
# And here is a run that was stopped much too early. The verdict notices:

# %%
hasty = jaxlda.LDA(
    num_topics=10, alpha=1.0, beta=1.0, num_warmup=5, num_samples=40, thinning=1, num_chains=4, progress=False
).fit(corpus)
early = hasty.diagnostics()
print(early.verdict)

# %% [markdown]
# ## Real texts
#
# On real texts chains often do *not* agree about all topics. Is it only that they have not run long enough? We take a
# part of the bundled Reuters corpus, and two runs: a short one, and one with twenty times as many sweeps.
#
# To see how alike topics are we look at the **raw similarity**: for each topic of the best chain, the share of its mass
# that it has in common with the *nearest* topic of every other chain. (Stability is the same number, but a topic
# without a partner counts as 0, which makes a difference of degree look like one of kind.)

# %%
stories = jaxlda.datasets.load("reuters").subset(range(0, 395, 4))
print(stories)
runs, similarity = {}, {}
for name, sweeps in {"short": 100, "long": 2300}.items():
    runs[name] = jaxlda.LDA(
        num_topics=10, num_warmup=sweeps, num_samples=20, thinning=10, num_chains=4, trace_every=20, progress=False
    ).fit(stories)
    best = runs[name].best_chain_
    phis = [runs[name].estimates("phi_p", chain=c) for c in range(4)]
    others = [phis[c] for c in range(4) if c != best]
    similarity[name] = np.stack(
        [alignment.similarity(alignment.distance(phis[best], other)).max(1) for other in others]
    )
    print(f"{name:5s} {runs[name].run_.sweep} sweeps, mean similarity {similarity[name].mean():.2f}")

figure, axes = plt.subplots(1, 2, figsize=(11, 2.8), sharey=True, layout="constrained")
for axis, (name, values) in zip(axes, similarity.items(), strict=True):
    order = np.argsort(-values.mean(0))
    axis.plot(values[:, order].T, "o", ms=4)
    axis.plot(values.mean(0)[order], "k-", lw=1)
    axis.set(title=f"{name} run", xlabel="topic, most similar first", ylim=(0, 1), xticks=range(10), xticklabels=order)
axes[0].set_ylabel("similarity to the nearest topic\nof each other chain")
plt.show()

# %% [markdown]
# The long run brings the chains nearer to each other, so the short one *was* too short. But some topics still differ:
# they are one of several ways to divide up the same words, and a chain that has settled on one of them stays there for
# longer than we can wait. The verdict says so, and promises no number of sweeps:

# %%
news = runs["long"]
judged = news.diagnostics()
print(judged.verdict, "\n")
closest = similarity["long"].mean(0)
words = news.top_words(6)
for k in np.argsort(-closest)[[0, 1, 2, -2, -1]]:
    print(f"similarity {closest[k]:.2f}  topic {k}: {' '.join(words[k])}")

# %% [markdown]
# That is not a reason to hide it. Topics that every chain finds can be relied on; the others should not be interpreted.

# %% [markdown]
# ## Exercises
#
# **1.** R-hat of one single chain: can it be computed? Should one trust it?
#
# <details><summary>Answer</summary>
#
# It can, by splitting the chain in two halves, and it tells whether the chain is still moving. But a chain that sits in
# one corner all the time looks perfect. Only chains from different starts can show that there are several corners.
# `jaxlda` says "cannot be assessed" for one chain, which is not a pass.
#
# </details>
#
# **2.** All draws of all chains have exactly the same value of some quantity. Is R-hat 1?
#
# <details><summary>Answer</summary>
#
# It is 0/0, not a number. Chains that are stuck look like this, so it must never be read as "passed". Try
# `diagnostics.rhat(np.ones((4, 50)))`.
#
# </details>
#
# **3.** You average φ over four chains that have not been aligned. What does the result look like for the bars?
#
# <details><summary>Answer</summary>
#
# Every "topic" is a blend of four different bars: a grid that no chain has ever seen. The last cell looks at it.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
assert naive > 1.5 and np.median(after) < 1.05 and np.max(after) < 1.3  # the numbers were the problem, not the topics
assert all(sorted(permutation) == list(range(10)) for permutation in aligned.permutations)
assert aligned.stability.mean.min() > 0.9
assert 4 * 100 > diagnostics.ess(log_joint) > 20  # draws are worth less than their number
assert found.converged is not False and early.converged is not True
assert similarity["long"].mean() > similarity["short"].mean()  # longer is better,
assert judged.converged is not True and closest.max() > closest.min() + 0.2  # and still not all topics are shared
assert np.isnan(diagnostics.rhat(np.ones((4, 50))))  # exercise 2
blend, own = phi.mean((0, 1)), phi[model.best_chain_].mean(0)
assert blend.max(1).mean() < 0.75 * own.max(1).mean()  # exercise 3: bars are washed out
