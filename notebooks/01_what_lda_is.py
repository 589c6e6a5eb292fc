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
# # 1 · What LDA is
#
# > *"Everybody says that LDA **finds topics**. But what does it believe a document **is**? And how can it find
# > something that nobody has told it about?"*
#
# Both questions have one answer. Latent Dirichlet Allocation is a **recipe for writing documents**. Nobody writes like
# this, but the recipe is simple enough to be run backwards: given the documents, which ingredients were used? These
# ingredients are the topics. In this notebook we cook first, and then look into the pot.
#
# You need to know what a probability is, and to read a little Python. Nothing else is assumed.

# %%
import matplotlib.pyplot as plt
import numpy as np

import jaxlda

# %% [markdown]
# ## The recipe
#
# A **topic** is a distribution over words: a long list of probabilities, one for every word of the vocabulary, that add
# up to one. A topic about the sea gives much to *ship* and *wave*, and little to *tax*. A **document** mixes topics in
# its own proportions.
#
# | symbol | what it is |
# |---|---|
# | $D$, $V$, $K$, $N$ | how many documents, words of the vocabulary, topics, tokens in all |
# | $w_i$, $z_i$ | the $i$-th *token* (a word as it stands in a text), and the topic that it came from |
# | $\phi_{kv}$ | the probability of word $v$ in topic $k$: a table `phi` of shape (K, V) |
# | $\theta_{dk}$ | the share of topic $k$ in document $d$: a table `theta` of shape (D, K) |
# | $\alpha$, $\beta$ | the *priors*: how mixed documents and topics are expected to be |
#
# To write document $d$:
#
# 1. draw its proportions: $\theta_d \sim \mathrm{Dirichlet}(\alpha)$;
# 2. for every token, draw a topic $z_i$ from $\theta_d$, and then a word $w_i$ from the topic, $\phi_{z_i}$.
#
# The topics themselves were drawn before all documents, $\phi_k \sim \mathrm{Dirichlet}(\beta)$. That is the whole
# model. The order of the words plays no part in it: a document is a **bag of words**.
#
# A few words for later: $\sim$ is read "is drawn from". All documents together are a **corpus**. A **Dirichlet
# distribution** is a machine that draws shares: ask it, and it gives $K$ numbers between 0 and 1 that add up to one,
# others every time. Its parameter $\alpha$ says whether one share tends to take all (small) or all are alike (large);
# we will see it below. Nobody can look at $z$, $\theta$ and $\phi$ in a real text: they are hidden, *latent*.

# %% [markdown]
# ## Words that can be seen
#
# To see what happens, let words be *pixels* of a picture of 5 × 5, so that $V = 25$. Our topics are the five rows and
# the five columns of the picture ($K = 10$): topic 0 uses only the five pixels of the top row, each with probability
# 1/5. This corpus is known as *the bars*.

# %%
corpus, truth = jaxlda.datasets.bars(num_docs=300, seed=1)
print(corpus)


def show(pictures, titles=(), columns=10):
    """Rows of 25 numbers as small pictures."""
    rows = -(-len(pictures) // columns)
    axes = plt.subplots(rows, columns, figsize=(columns, 1.15 * rows), squeeze=False)[1]
    for axis in axes.flat:
        axis.set_axis_off()
    for i, (axis, picture) in enumerate(zip(axes.flat, pictures, strict=False)):
        axis.imshow(np.asarray(picture).reshape(5, 5), cmap="Greys", vmin=0)
        axis.set_title(titles[i] if i < len(titles) else "", fontsize=8)
    plt.show()


show(truth.phi, [f"topic {k}" for k in range(10)])

# %% [markdown]
# The ten topics. Each is a picture of 25 probabilities: black is 1/5, white is 0. A word is called after its place,
# `r3c4` is the pixel in row 3 and column 4 (counted from 0).

# %% [markdown]
# ## Cooking by hand
#
# Step by step, for one document of 100 tokens. `rng` is our source of randomness; with the same seed it gives the same
# document every time.

# %%
rng = np.random.default_rng(0)
alpha = np.ones(10)


def write_document(alpha, length=100):
    theta_d = rng.dirichlet(alpha)  # 1. the proportions of the document
    z = rng.choice(10, size=length, p=theta_d)  # 2. a topic for every token …
    w = np.array([rng.choice(25, p=truth.phi[k]) for k in z])  # … and a word from that topic
    return theta_d, z, w


theta_d, z, w = write_document(alpha)
print("proportions  ", theta_d.round(2))
print("first topics ", z[:12])
print("first words  ", [str(corpus.vocab[v]) for v in w[:6]], "…")

counts_by_hand = np.array([np.bincount(write_document(alpha)[2], minlength=25) for _ in range(10)])
show(counts_by_hand, [f"document {d}" for d in range(10)])

# %% [markdown]
# Dark pixels are words that the document has often. In some documents one bar stands out, in most several overlap. The
# computer will get **only these pictures**, and not know that there are bars.
#
# ## What alpha does
#
# $\alpha$ says how mixed documents are. Small: a document is about one thing. Large: every document is about
# everything.

# %%
mixed = {}
for value in (0.05, 1.0, 50.0):
    documents = [write_document(np.full(10, value)) for _ in range(10)]
    mixed[value] = np.mean([theta_d.max() for theta_d, _, _ in documents])
    print(f"alpha = {value}: the largest topic of a document has {mixed[value]:.0%} of it on average")
    show([np.bincount(w, minlength=25) for _, _, w in documents], [f"α = {value:g}"] * 10)

# %% [markdown]
# ## Backwards
#
# Now `jaxlda` gets the 300 pictures and the number of topics. It guesses a topic for every token and improves the guess
# again and again; how, is the subject of notebook 2. Four independent attempts (*chains*) are made, and the best is
# shown. Here is what it believes the topics to be:

# %%
model = jaxlda.LDA(num_topics=10, alpha=1.0, beta=0.1, num_warmup=200, num_chains=4, progress=False).fit(corpus)
show(model.phi_, [f"found {k}" for k in range(10)])

# %% [markdown]
# The bars are back, though nobody has mentioned them: rows and columns are what makes pixels *occur together*. But they
# are in another order. The numbers of topics mean nothing (the recipe does not change when we rename topics), so to
# compare with the truth we have to find out which is which: `align` gives every true topic the found one that is most
# like it, each to one only. A similarity of 1 means the same distribution, 0 that they have no word in common.

# %%
matched = jaxlda.alignment.align(truth.phi, model.phi_)
print("true topic k is found topic", matched.permutation)
similarity = 1 - matched.distances
print("similarity", similarity.round(3))

theta_error = np.abs(model.theta_[:, matched.permutation] - truth.theta).mean()
flat_error = np.abs(1 / 10 - truth.theta).mean()
print(f"proportions are off by {theta_error:.3f} on average; guessing 1/10 everywhere, by {flat_error:.3f}")

# %% [markdown]
# ## With real words
#
# The same for 395 news stories of Reuters, 4,258 different words. A topic is shown by its most probable words, and what
# it is *about* is for us to say.

# %%
reuters = jaxlda.datasets.load("reuters")
news = jaxlda.LDA(num_topics=20, num_warmup=150, num_chains=1, progress=False).fit(reuters)
for k, words in enumerate(news.top_words(8)):
    print(f"{k:2d}", " ".join(words))

# %%
d = 0
order = np.argsort(-news.theta_[d])[:4]
print(reuters.titles[d])
for k in order:
    print(f"  {news.theta_[d, k]:.0%} topic {k}: {' '.join(news.top_words(5)[k])}")

figure, axis = plt.subplots(figsize=(8, 2))
axis.bar(range(20), news.theta_[d])
axis.set(xlabel="topic k", ylabel="share θ", title=reuters.titles[d].split(". ")[0], xticks=range(20))
plt.show()

# %% [markdown]
# ## Exercises
#
# **1.** Two documents have the same words in another order. What does LDA say about them?
#
# <details><summary>Answer</summary>
#
# The same. Every token of a document is drawn independently given $\theta_d$, so only *how often* each word occurs
# matters: the model reads a table of counts, documents × words. (`Corpus.from_texts` remembers the order, but only to
# show texts and to measure coherence.)
#
# </details>
#
# **2.** Fit the bars with `num_topics=9` and with `num_topics=12`. What becomes of the topics? Think first.
#
# <details><summary>Answer</summary>
#
# With too few, some topic must do the work of two bars: a cross or a pair of lines. With too many, a bar is split
# between topics or some topics are nearly empty. LDA does not choose $K$ for you; `jaxlda.choose_k` compares several on
# documents that the model has not seen.
#
# </details>
#
# **3.** Why did we say `alpha=1.0` for the bars? What would `alpha=0.01` tell the model?
#
# <details><summary>Answer</summary>
#
# The documents were written with $\alpha = 1$. With 0.01 the model is told that a document is about one thing, and it
# prefers explanations with few topics per document. Topics then tend to be blends of bars that occur together. Priors
# are part of the question; with `learn_alpha="asymmetric"` they are learned, too.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
assert counts_by_hand.sum() == 10 * 100  # a bag of words keeps every token
assert mixed[0.05] > 0.6 > mixed[1.0] > mixed[50.0]  # small alpha: documents about one thing
assert sorted(matched.permutation) == list(range(10)) and similarity.min() > 0.7  # every bar was found, once
assert theta_error < flat_error / 2  # and the proportions with them
assert np.allclose(model.phi_.sum(1), 1, atol=1e-4) and np.allclose(model.theta_.sum(1), 1, atol=1e-4)
assert any({"pope", "vatican"} <= set(words) for words in news.top_words(20))  # a topic that nobody had told it about
