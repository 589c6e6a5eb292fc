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
# # 3 · Hard and soft counts
#
# > *"The sampler says that this token has topic 7. But when it drew that, topic 3 had nearly the same probability! Is
# > it not a waste to keep the outcome of the throw and to forget the odds?"*
#
# It is. This question is the whole idea of the paper *Dense Distributions from Sparse Samples*: from the same sample,
# count not what was drawn, but **with which probabilities it would be drawn**. The estimators that come out are called
# $\hat\phi^p$ and $\hat\theta^p$ (the *p* is for probabilities), and they cost about as much as one more sweep.

# %%
import jax
import matplotlib.pyplot as plt
import numpy as np

import jaxlda
from jaxlda import estimators, evaluation

# %% [markdown]
# ## First without topics: a hundred coins
#
# We have 100 bent coins and know for each the probability $p_i$ of heads. How many heads are to be expected? One person
# throws them all and counts. Another adds up the $p_i$. Both are right on average, but the first will say something
# else every time, and the second will not.

# %%
rng = np.random.default_rng(0)
p = rng.uniform(0.05, 0.95, size=100)
throws = (rng.random((2000, 100)) < p).sum(1)  # the first person, on 2000 days

figure, axis = plt.subplots(figsize=(7, 2.5))
axis.hist(throws, bins=np.arange(30, 72) - 0.5, color="C0", label="count the heads")
axis.axvline(p.sum(), color="C3", lw=3, label="add up the probabilities")
axis.set(xlabel="heads", ylabel="days")
axis.legend()
plt.show()
print(f"mean of the counts {throws.mean():.2f}, sum of the probabilities {p.sum():.2f}")

# %% [markdown]
# Replacing a random thing by its expectation, given what one knows, never makes an estimate worse: it keeps the mean
# and takes variance away (here all of it). Statisticians call it the **Rao–Blackwell theorem**.
#
# ## Tokens are bent coins
#
# Take a few documents of the bars (notebook 1), and let the topics $\phi$ be known. A sweep of the sampler draws the
# topic of token $j$, a word $v$ in document $d$, with the probabilities (Eqs. 4 and 31)
#
# $$T(z_j = k) \;\propto\; \phi_{kv}\,(n_{dk\neg j} + \alpha_k).$$
#
# Every pixel lies in a row *and* in a column, so these tokens really are in doubt. Two estimates of the document's
# proportions follow from the same sample:
#
# $$\hat\theta_{dk} = \frac{n_{dk} + \alpha_k}{N_d + \sum_{k'} \alpha_{k'}} \quad\text{(Eq. 3)}, \qquad
#   \hat\theta^p_{dk} = \frac{\sum_j T(z_j = k) + \alpha_k}{N_d + \sum_{k'} \alpha_{k'}} \quad\text{(Eq. 33)}.$$
#
# Left the drawn topics are counted (**hard** counts), right their probabilities are added up (**soft** counts).

# %%
corpus, truth = jaxlda.datasets.bars(num_docs=8, seed=2)
data = corpus.data(phi=truth.phi, alpha=1.0)
run = jaxlda.run(
    jax.random.key(0),
    jaxlda.kernels.cgs(),
    data,
    num_warmup=30,  # sweeps that are thrown away, until the random start is forgotten
    num_samples=300,  # draws that are used …
    thinning=3,  # … one every three sweeps
    keep=("z", "theta", "theta_p"),  # what is kept of each
    trace_every=0,
)
hard, soft = run.theta[0], run.theta_p[0]  # of the first chain: (draw, document, topic)
print(hard.shape, soft.shape)

# %% [markdown]
# Before we look at the result, let us do the soft counts of one document of one draw ourselves.

# %%
w, d = np.asarray(data.tokens.w), np.asarray(data.tokens.d)
z = run.z[0, -1]
mine = d == 0
n_dk = np.bincount(z[mine], minlength=10)
soft_counts = np.zeros(10)
for v, k in zip(w[mine], z[mine], strict=True):
    without = n_dk.copy()
    without[k] -= 1  # ¬j: the token itself does not vote
    odds = truth.phi[:, v] * (without + 1.0)
    soft_counts += odds / odds.sum()
by_hand = (soft_counts + 1.0) / (mine.sum() + 10)
print("hard counts", n_dk)
print("soft counts", soft_counts.round(1))
print("the library agrees:", np.allclose(by_hand, soft[-1, 0], atol=1e-5))

# %% [markdown]
# ## Seen: the same mean, less noise
#
# Below, 300 draws from one chain. Each draw gives one estimate of the share of a topic in a document, hard and soft.

# %%
document, topic = 0, int(truth.theta[0].argmax())
figure, axes = plt.subplots(1, 2, figsize=(11, 3), layout="constrained")
bins = np.linspace(hard[:, document, topic].min() - 0.01, hard[:, document, topic].max() + 0.01, 30)
axes[0].hist(hard[:, document, topic], bins=bins, alpha=0.7, label="θ from hard counts")
axes[0].hist(soft[:, document, topic], bins=bins, alpha=0.7, color="C3", label="θᵖ from soft counts")
axes[0].set(xlabel=f"share of topic {topic} in document {document}", ylabel="draws")
axes[0].legend()
axes[1].plot(hard[:100, document, topic], lw=1, label="θ")
axes[1].plot(soft[:100, document, topic], "C3", lw=1.5, label="θᵖ")
axes[1].set(xlabel="draw", ylabel=f"share of topic {topic}")
axes[1].legend()
plt.show()

ratio = soft.var(0) / hard.var(0)  # for every document and topic
difference = np.abs(soft.mean(0) - hard.mean(0)).max()
print(f"variance of θᵖ is {np.median(ratio):.0%} of that of θ (median over documents and topics)")
print(f"their means over all draws differ by {difference:.4f} at most")

# %% [markdown]
# The variance is halved: one $\hat\theta^p$ is worth two independent $\hat\theta$, or a little more. It is not zero,
# because a soft count still depends on where all the *other* tokens happen to be. With *many* draws both arrive at the
# same place: then the noise has been averaged away, and the odds were not needed.
#
# ## Training, too: topics without cliffs
#
# When the topics are learned, nothing changes but the first factor: the topics are counts as well (Eq. 1). Soft counts
# added up over each **word** give $\hat\phi^p$ (Eq. 41), over each **document** $\hat\theta^p$ (Eq. 40). In `jaxlda`
# both are one function, `soften`: it turns hard counts into soft ones, and $\hat\phi$, $\hat\theta$ of these are
# $\hat\phi^p$, $\hat\theta^p$.

# %%
reuters = jaxlda.datasets.load("reuters")
data = reuters.data(num_topics=20)
run = jaxlda.run(jax.random.key(1), jaxlda.kernels.cgs(), data, num_warmup=95, num_samples=1, gap_every=5)
sample = run.chain(0)
softened = estimators.soften(sample, data)
zeros = float((np.asarray(sample.counts.n_vk) == 0).mean())
print(f"{zeros:.0%} of the hard counts of words and topics are zero,", end=" ")
print(f"and {float((np.asarray(softened.n_vk) == 0).mean()):.0%} of the soft ones")

phi, phi_p = np.asarray(estimators.phi(sample.counts, data)), np.asarray(estimators.phi(softened, data))
theta = np.asarray(estimators.theta(sample.counts, data))
theta_p = np.asarray(estimators.theta(softened, data))

k = int(np.asarray(sample.counts.n_k).argmax())
order = np.argsort(-phi[k])
figure, axis = plt.subplots(figsize=(8, 3))
axis.semilogy(phi_p[k][order], ".", color="C3", ms=2, label="φᵖ")
axis.semilogy(phi[k][order], "C0", lw=2, label="φ")
axis.set(xlabel=f"words, by their probability in topic {k}", ylabel="probability")
axis.legend()
plt.show()

# %% [markdown]
# The blue line ends in a cliff: words that were never drawn with this topic all have the same tiny probability, which
# is nothing but the prior $\beta$. The red points say *which* of these words would fit the topic, because the odds
# know.
#
# Does it help? Here is the log-likelihood of the training texts for the four pairs of estimators (Eq. 55; larger, that
# is nearer to zero, is better): the average over all tokens of the logarithm of the probability that the model gives to
# the word, $\log \sum_k \theta_{dk}\,\phi_{kv}$. Notebook 4 does the same for texts that the model has not seen.

# %%
pairs = {
    ("φ", "θ"): (phi, theta),
    ("φᵖ", "θ"): (phi_p, theta),
    ("φ", "θᵖ"): (phi, theta_p),
    ("φᵖ", "θᵖ"): (phi_p, theta_p),
}
score = {names: evaluation.log_likelihood(*pair, reuters) / reuters.num_tokens for names, pair in pairs.items()}
for names, value in score.items():
    print(f"{' + '.join(names):8s} {value:.4f} per token")

# %% [markdown]
# ## How far apart are they?
#
# Equation 60 adds up the differences of hard and soft counts over the topics. Divided by the length of the document and
# averaged over the documents, it is
#
# $$\text{gap} = \frac{1}{D} \sum_d \frac{1}{N_d} \sum_k \Big| n_{dk} - \sum_j T(z_j = k) \Big|.$$
#
# At first every token is in doubt; when the sampler has found its way, most odds are clear, but never all.

# %%
gap = run.trace["gap"][0]
sweeps = np.flatnonzero(~np.isnan(gap))
figure, axis = plt.subplots(figsize=(7, 2.5))
axis.plot(sweeps + 1, gap[sweeps], "o-")
axis.set(xlabel="sweep", ylabel="gap, hard to soft (Eq. 60)", ylim=(0, None))
plt.show()

# %% [markdown]
# ## Exercises
#
# **1.** When are hard and soft counts the same?
#
# <details><summary>Answer</summary>
#
# When no token is in doubt: every $T(z_j = k)$ is 0 or 1. A corpus whose topics share no words comes close. Then there
# is nothing to gain, and nothing is lost either.
#
# </details>
#
# **2.** Soft counts of a document add up to its length, and those of a word to its frequency. Why? Check it.
#
# <details><summary>Answer</summary>
#
# The probabilities of one token over all topics add up to 1, so every token still counts once; it is only spread out.
# `softened.n_dk.sum(1)` are the lengths of the documents. The last cell asserts it.
#
# </details>
#
# **3.** `soften(..., leave_out="none")` does not take the token out of the counts. Is its $\hat\theta^p$ nearer to the
# hard $\hat\theta$, or farther away?
#
# <details><summary>Answer</summary>
#
# Nearer: each token then votes for the topic it already has, so the odds lean towards what was drawn.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
assert abs(throws.mean() - p.sum()) < 0.6 and throws.std() > 3  # right on average, but noisy
assert np.allclose(by_hand, soft[-1, 0], atol=1e-5)  # Eq. 33 is what the library computes
assert np.median(ratio) < 0.6 and (ratio < 1).mean() > 0.95  # less variance …
assert difference < 0.03  # … around the same mean
assert np.allclose(softened.n_dk.sum(1), reuters.n_d, rtol=1e-3)  # every token still counts once
assert zeros > 0.6 and (phi_p > 0).all()
assert score["φ", "θ"] < min(score["φᵖ", "θ"], score["φ", "θᵖ"]) < score["φᵖ", "θᵖ"]
assert gap[sweeps[0]] > 1.2 * gap[sweeps[-1]] > 0
leaning = estimators.theta_p(sample, data, leave_out="none")
assert np.abs(leaning - theta).mean() < np.abs(theta_p - theta).mean()  # exercise 3
