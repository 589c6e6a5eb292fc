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
# # 2 · Collapsed Gibbs sampling, by hand
#
# > *"I see what the model is. But there are $K^N$ ways to give every token a topic, more than atoms in the universe.
# > How does one find good ones, and what does the computer really **do** all the time?"*
#
# It does one small thing, again and again: it takes a single token, forgets its topic, and asks all the others which
# topic it should have. This is *collapsed Gibbs sampling*. We write it in twenty lines, check it against the exact
# answer on a corpus small enough to list everything, and then let JAX compile it.

# %%
import itertools
import time

import jax
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import gammaln

import jaxlda

# %% [markdown]
# ## Sixteen tiny documents
#
# Some are about money, some about rivers, some about both; and *bank* belongs to both worlds.

# %%
vocab = ["river", "stream", "bank", "money", "loan"]
rng = np.random.default_rng(3)
by_topic = {"nature": [0.35, 0.35, 0.3, 0.0, 0.0], "finance": [0.0, 0.0, 0.3, 0.35, 0.35]}
documents = []
for d in range(16):
    share = np.clip((d - 5) / 5, 0, 1)  # from nature, through both, to finance
    p = (1 - share) * np.array(by_topic["nature"]) + share * np.array(by_topic["finance"])
    documents.append(rng.choice(5, size=16, p=p))
w = np.concatenate(documents)  # the word of every token
d = np.repeat(np.arange(16), 16)  # its document
D, V, K, N = 16, 5, 2, len(w)
print(" ".join(vocab[v] for v in documents[0]))
print(" ".join(vocab[v] for v in documents[8]))

# %% [markdown]
# ## Three tables of counts
#
# Give every token a random topic, and count:
#
# * `n_dk[d, k]`: how many tokens of document $d$ have topic $k$;
# * `n_vk[v, k]`: how many tokens of word $v$ have topic $k$ (the paper's $n_{kv}$; we put words first, because a
#   sampler reads one word at a time);
# * `n_k[k]`: how many tokens have topic $k$ at all.


# %%
def count(z, w, d, D, V, K):
    n_dk, n_vk = np.zeros((D, K)), np.zeros((V, K))
    np.add.at(n_dk, (d, z), 1)
    np.add.at(n_vk, (w, z), 1)
    return n_dk, n_vk, n_vk.sum(0)


alpha, beta = 0.5, 0.3
z = rng.integers(K, size=N)
start = z.copy()
n_dk, n_vk, n_k = count(z, w, d, D, V, K)
print(dict(zip(vocab, n_vk.astype(int).tolist(), strict=True)))

# %% [markdown]
# ## Equation 1
#
# Take token $i$ with word $v$ in document $d$ **out** of all counts (that is what $\neg i$ means). The probability that
# its topic is $k$, given all other tokens, is
#
# $$p(z_i = k \mid \text{all others}) \;\propto\;
#   \underbrace{\frac{n_{kv\neg i} + \beta}{n_{k\neg i} + V\beta}}_{\text{does topic } k \text{ like the word?}}
#   \;\cdot\; \underbrace{(n_{dk\neg i} + \alpha)}_{\text{does the document like topic } k \text{?}}
#   \qquad\text{(Eq. 1)}$$
#
# A token goes where its word and its document already are. $\phi$ and $\theta$ do not occur: they have been summed out,
# which is what *collapsed* means. Draw the topic from these probabilities, put the token back, go on to the next. One
# round through all tokens is a **sweep**.


# %%
def sweep(rng, z, w, d, n_dk, n_vk, n_k, alpha, beta):
    """Draw the topic of every token once, in place."""
    V, K = n_vk.shape
    for i in range(len(w)):
        v, doc, k = w[i], d[i], z[i]
        n_dk[doc, k] -= 1  # out of the counts …
        n_vk[v, k] -= 1
        n_k[k] -= 1
        p = (n_vk[v] + beta) / (n_k + V * beta) * (n_dk[doc] + alpha)  # Eq. 1
        k = min(int(np.searchsorted(np.cumsum(p), rng.random() * p.sum(), side="right")), K - 1)
        n_dk[doc, k] += 1  # … and back in, under the new topic
        n_vk[v, k] += 1
        n_k[k] += 1
        z[i] = k


for _ in range(60):
    sweep(rng, z, w, d, n_dk, n_vk, n_k, alpha, beta)
phi = (n_vk.T + beta) / (n_k[:, None] + V * beta)  # Eq. 2
for k in range(K):
    print(f"topic {k}:", {word: round(float(p), 2) for word, p in zip(vocab, phi[k], strict=True)})

# %% [markdown]
# Every token is a dot below, every document a row; the colour is the topic. Left the random start, right after 60
# sweeps. Look at *bank*: its topic depends on the company it keeps.

# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
for axis, topics, title in zip(axes, (start, z), ("random topics", "after 60 sweeps"), strict=True):
    order = np.lexsort((w, d))  # within a document by word
    position = np.tile(np.arange(16), 16)
    axis.scatter(position, d[order], c=topics[order], cmap="coolwarm", s=45, edgecolors="0.6")
    bank = w[order] == 2
    axis.scatter(position[bank], d[order][bank], marker="_", c="k", s=25)
    axis.set(title=title + " (bank: dash)", xlabel="tokens of a document, sorted by word", xticks=range(0, 16, 5))
axes[0].set(ylabel="document", yticks=range(0, 16, 5))
axes[0].invert_yaxis()
plt.show()

# %% [markdown]
# ## Is it right? List everything
#
# With two documents of three and two tokens, and two topics, there are only $2^5 = 32$ possible `z`. For each the
# probability $p(w, z)$ can be written down exactly (products of Gamma functions, from summing out $\phi$ and $\theta$),
# so we know how often the sampler *should* visit each. It is the best test there is: not "looks plausible", but right.
# (The probabilities of all possible $z$, given the words, are called the **posterior**: what one believes *after*
# having seen the words. $p(w, z)$ is the same up to a constant factor; its logarithm is called the **log joint**.)
#
# One thing first. Swapping the names of the two topics changes nothing (exercise 2), so we count each `z` together with
# its mirror image: the first token always has topic 0, and 16 states remain.

# %%
small_w, small_d = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 1, 1])
shape = (2, 3, 2)  # D, V, K
states = [(0, *rest) for rest in itertools.product(range(2), repeat=4)]


def log_joint(z, w, d, D, V, K, alpha, beta):
    n_dk, n_vk, n_k = count(np.array(z), w, d, D, V, K)
    documents = gammaln(n_dk + alpha).sum() - gammaln(n_dk.sum(1) + K * alpha).sum()
    return documents + gammaln(n_vk + beta).sum() - gammaln(n_k + V * beta).sum()


exact = np.exp([log_joint(state, small_w, small_d, *shape, alpha, beta) for state in states])
exact /= exact.sum()


def visits(draws):
    """How often each of the 16 states was visited, or its mirror image."""
    draws = np.asarray(draws)
    first_is_0 = draws ^ draws[:, :1]
    return np.bincount(first_is_0 @ (2 ** np.arange(4, -1, -1)), minlength=16) / len(draws)


def by_hand(step, sweeps=6000):
    z = np.zeros(5, int)
    tables = count(z, small_w, small_d, *shape)
    draws = []
    for _ in range(sweeps):
        step(rng, z, small_w, small_d, *tables, alpha, beta)
        draws.append(z.copy())
    return visits(draws)


hand = by_hand(sweep)

# %% [markdown]
# ## The same, compiled
#
# **JAX** is a library that looks like NumPy and turns functions into fast programs for CPUs and GPUs. You need not know
# it to use `jaxlda`; here is all there is to see of it. An algorithm is a tuple of pure functions: `init` makes a
# state, `step` does one sweep, `readout` gives the sample. Pure means that nothing is changed in place: the new state
# is returned, and randomness comes from a *key* that is passed in. That is what allows JAX to compile a function to
# machine code (`jax.jit`), and here a loop over 20,000 sweeps (`jax.lax.scan`) becomes one program.

# %%
corpus = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 1]])
data = corpus.data(num_topics=2, alpha=alpha, beta=beta)
sampler = jaxlda.kernels.cgs()


@jax.jit
def sample_many(key, layout):
    def one(state, key):
        state, _ = sampler.step(key, state, layout)
        return state, sampler.readout(state, layout).z

    return jax.lax.scan(one, sampler.init(key, layout), jax.random.split(key, 20_000))[1]


# The data, checked and laid out as the compiled loop likes them best.
compiled = visits(sample_many(jax.random.key(0), sampler.prepare(data)))


def distance(a, b):
    """Total variation: how much probability stands in the wrong place."""
    return 0.5 * np.abs(a - b).sum()


figure, axis = plt.subplots(figsize=(10, 3))
axis.bar(np.arange(16) - 0.27, exact, 0.27, label="exact", color="0.3")
axis.bar(np.arange(16), hand, 0.27, label="by hand")
axis.bar(np.arange(16) + 0.27, compiled, 0.27, label="compiled")
axis.set(xlabel="the 16 possible z", ylabel="probability", xticks=range(16))
axis.set_xticklabels(["".join(map(str, state)) for state in states], fontsize=8)
axis.legend()
plt.show()
print(f"by hand {distance(exact, hand):.3f}, compiled {distance(exact, compiled):.3f} of the probability is misplaced")

# %% [markdown]
# Below each group of bars stands its $z$, the topics of the five tokens. Both samplers visit every state as often as
# they should, up to chance, which leaves about a hundredth of the probability in the wrong place.

# %% [markdown]
# ## How fast?
#
# One sweep over 20,000 tokens, by hand and compiled. (JAX returns before it has finished; `block_until_ready` waits.)

# %%
bars = jaxlda.datasets.load("bars", num_docs=200)
tokens = bars.tokens()
w_bars, d_bars, N_bars = np.asarray(tokens.w), np.asarray(tokens.d), bars.num_tokens
z_bars = rng.integers(10, size=N_bars)
tables = count(z_bars, w_bars, d_bars, bars.num_docs, bars.num_words, 10)
began = time.perf_counter()
sweep(rng, z_bars, w_bars, d_bars, *tables, 1.0, 0.1)
seconds_by_hand = time.perf_counter() - began

data_bars = bars.data(num_topics=10, alpha=1.0, beta=0.1)
step = jax.jit(sampler.step)
layout = sampler.prepare(data_bars)
state = jax.jit(sampler.init)(jax.random.key(0), layout)
jax.block_until_ready(step(jax.random.key(1), state, layout))  # the first call compiles
seconds_compiled = []
for t in range(5):
    began = time.perf_counter()
    state, _ = step(jax.random.key(t), state, layout)
    jax.block_until_ready(state)
    seconds_compiled.append(time.perf_counter() - began)
speedup = seconds_by_hand / min(seconds_compiled)
print(f"a token takes {seconds_by_hand / N_bars * 1e9:,.0f} ns by hand, {min(seconds_compiled) / N_bars * 1e9:,.0f} ns")
print(f"compiled: {speedup:,.0f} times as fast")

# %% [markdown]
# ## Exercises
#
# **1.** What goes wrong if you forget to take the token out of the counts, that is, to subtract 1? Guess, then try it
# with the exact answer at hand.
#
# <details><summary>Answer</summary>
#
# The token then votes for itself: its present topic gets more than its due, states in which topics are pure are visited
# too often, and chains move less. The cell below does it. On a large corpus you would hardly see the difference by eye,
# which is why the exact test matters.
#
# </details>

# %%


def forgetful_sweep(rng, z, w, d, n_dk, n_vk, n_k, alpha, beta):
    V, K = n_vk.shape
    for i in range(len(w)):
        v, doc = w[i], d[i]
        p = (n_vk[v] + beta) / (n_k + V * beta) * (n_dk[doc] + alpha)  # the token is still in there
        k = min(int(np.searchsorted(np.cumsum(p), rng.random() * p.sum(), side="right")), K - 1)
        for table, row in ((n_dk, doc), (n_vk, v)):
            table[row, z[i]] -= 1
            table[row, k] += 1
        n_k[z[i]] -= 1
        n_k[k] += 1
        z[i] = k


forgetful = by_hand(forgetful_sweep)
print(f"forgetful: {distance(exact, forgetful):.3f} misplaced")

# %% [markdown]
# **2.** Swap the names of the two topics in any `z`. What happens to $p(w, z)$? What follows for long chains?
#
# <details><summary>Answer</summary>
#
# Nothing happens: with symmetric priors Eq. 1 does not know topics by name. A long enough chain visits both versions,
# so an average of $\phi_0$ over such a chain is meaningless. Real chains on real corpora hardly ever switch, but two
# *different* chains number their topics independently (notebook 5).
#
# </details>
#
# **3.** Derive Eq. 3, $\hat\theta_{dk} = (n_{dk} + \alpha) / (N_d + K\alpha)$, in words.
#
# <details><summary>Answer</summary>
#
# Given $z$, document $d$ is an urn with $n_{dk}$ balls of colour $k$, to which the prior has added $\alpha$ of each
# colour. The probability that the next token has topic $k$ is the share of that colour.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
assert count(z, w, d, D, V, K)[0].tolist() == n_dk.tolist()  # counts kept up to date are counts
nature = int(phi[:, 0].argmax())
assert phi[nature, [0, 1]].min() > 0.15 > phi[1 - nature, [0, 1]].max()  # river and stream went together
banks_by_the_river = z[(w == 2) & (d < 6)]
assert (banks_by_the_river == nature).mean() > 0.7  # the company of a word decides
assert distance(exact, hand) < 0.05 and distance(exact, compiled) < 0.05  # both samplers are right
assert distance(exact, forgetful) > 0.06  # and the exact answer finds out a wrong one
one, other = (log_joint(z, small_w, small_d, *shape, alpha, beta) for z in ([0, 0, 1, 1, 1], [1, 1, 0, 0, 0]))
assert np.isclose(one, other)  # names of topics mean nothing
assert speedup > 5
