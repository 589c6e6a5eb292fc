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
# # 8 · Bring your own samples
#
# > *"I have a model that took MALLET a week. I am not going to fit it again. Can I still have better topics from it?"*
#
# Yes. (MALLET, tomotopy and WarpLDA are other programs that draw samples for LDA, in Java and C++; gensim and
# scikit-learn are Python packages that fit it without sampling.) Soft counts (notebook 3) need nothing but the topic of
# every token, and do not care which program drew it. What comes in from outside has the same form as our own samples: a
# `Corpus`, its `Priors`, and a `Sample`. Everything that comes after that (estimators, likelihood, alignment, pictures)
# works as for our own.

# %%
import gzip
import importlib.util
import os
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

import jaxlda
from jaxlda import estimators, evaluation, io

holder = tempfile.TemporaryDirectory()
folder = Path(holder.name)
reuters = jaxlda.datasets.load("reuters").subset(range(120))
used = np.flatnonzero(np.asarray(reuters.counts.sum(0)).ravel())
reuters = jaxlda.Corpus.from_counts(reuters.counts[:, used], reuters.vocab[used], titles=reuters.titles)
print(reuters)

# %% [markdown]
# ## MALLET
#
# `mallet train-topics --output-state state.gz` writes a gzipped file: a line that names the columns, the priors, and
# one line for every token with document, source, position, number of the word, the word, and its topic. MALLET is a
# Java program and not part of this package, so here is a sample written in exactly that form. **Put the path of your
# own file in**, and all that follows is the same.

# %%
K, alpha, beta = 15, 0.1, 0.01
data = reuters.data(num_topics=K, alpha=alpha, beta=beta)
z = jaxlda.run(0, "cgs", data, num_warmup=100, trace_every=0).chain(0).z
w, d = np.asarray(data.tokens.w), np.asarray(data.tokens.d)
position = np.arange(len(w)) - np.searchsorted(d, d)

lines = ["#doc source pos typeindex type topic", "#alpha : " + f"{alpha} " * K, f"#beta : {beta}"]
lines += [
    f"{doc} story{doc}.txt {pos} {v} {reuters.vocab[v]} {k}"
    for doc, pos, v, k in zip(d, position, w, np.asarray(z), strict=True)
]
path = folder / "state.gz"
with gzip.open(path, "wt", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")
print("\n".join(lines[:6]))

# %% [markdown]
# Read it:

# %%
corpus, priors, sample = io.read_mallet_state(path)
print(corpus, priors.alpha.shape, sample.z.shape)


def four_pairs(corpus, priors, sample):
    """Log-likelihood per token (Eq. 55) of hard and soft topics with hard and soft proportions."""
    data = corpus.data(priors=priors)
    soft = estimators.soften(sample, data)
    phis = {"φ": estimators.phi(sample.counts, data), "φᵖ": estimators.phi(soft, data)}
    thetas = {"θ": estimators.theta(sample.counts, data), "θᵖ": estimators.theta(soft, data)}
    return {
        (one, other): evaluation.log_likelihood(phi, theta, corpus) / corpus.num_tokens
        for one, phi in phis.items()
        for other, theta in thetas.items()
    }


results = {"a file in MALLET's form": four_pairs(corpus, priors, sample)}
for names, value in results["a file in MALLET's form"].items():
    print(" + ".join(names), f"{value:.4f}")

# %% [markdown]
# The shortest way is a model, which estimates, infers new documents, and is saved and diagnosed like one fitted here:

# %%
adopted = jaxlda.LDA.from_sample(io.read_mallet_state(path))
print(adopted.top_words(6)[0], adopted.phi_.shape, adopted.theta_.shape)

# %% [markdown]
# The paper's experiments come with a file that **MALLET itself** has written: news of the Associated Press, 457,721
# tokens, 100 topics. If you have it in the folder that `JAXLDA_DATA` names, it is read here, too:

# %%
written_by_mallet = Path(os.environ.get("JAXLDA_DATA") or folder) / "ap_mallet_state_K100.gz"
if written_by_mallet.is_file():
    imported = io.read_mallet_state(written_by_mallet)
    results["MALLET's own file"] = four_pairs(*imported)
    print(imported.corpus, *(f"{value:.4f}" for value in results["MALLET's own file"].values()))
else:
    print(f"{written_by_mallet.name} is not here")

# %% [markdown]
# A file that was cut off, or two files mixed up, must not give a result that looks like one. It is refused, with the
# line:

# %%
broken = folder / "broken"
broken.write_text("\n".join([*lines[:9], lines[9].rsplit(" ", 1)[0]]) + "\n", encoding="utf-8")
try:
    io.read_mallet_state(broken)
except ValueError as error:
    refusal = str(error).replace(f"{folder}/", "")
    print(refusal)

# %% [markdown]
# ## tomotopy
#
# A model in memory is taken as it is; words that tomotopy left out of training are left out here, too.

# %%
texts = [np.repeat(reuters.vocab, row.toarray().ravel()).tolist() for row in reuters.counts]

if importlib.util.find_spec("tomotopy"):
    import tomotopy

    theirs = tomotopy.LDAModel(k=K, alpha=alpha, eta=beta, seed=1)
    for text in texts:
        theirs.add_doc(text)
    theirs.train(100, workers=1)
    imported = io.from_tomotopy(theirs)
    results["tomotopy"] = four_pairs(*imported)
    print(imported.corpus)
else:
    print("tomotopy is not installed: pip install tomotopy")

# %% [markdown]
# ## gensim and scikit-learn
#
# These are not samplers: they do variational Bayes (notebook 6). There is no topic of each token, so φ and θ can be
# taken over, but not softened; they are soft already.

# %%
variational = LatentDirichletAllocation(K, doc_topic_prior=alpha, topic_word_prior=beta, max_iter=5, random_state=0)
variational.fit(reuters.counts)
imported = io.from_sklearn(variational, reuters.counts, vocab=reuters.vocab)
data_vb = imported.corpus.data(priors=imported.priors)
phi_vb = np.asarray(estimators.phi(imported.sample.counts, data_vb))
print("a topic of scikit-learn:", " ".join(reuters.vocab[np.argsort(-phi_vb[0])[:8]]))
try:
    estimators.phi_p(imported.sample, data_vb)
except ValueError as error:
    no_z = str(error)
    print(no_z)

if importlib.util.find_spec("gensim"):
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel

    dictionary = Dictionary(texts)
    bags = [dictionary.doc2bow(text) for text in texts]
    gensim_model = LdaModel(bags, num_topics=K, id2word=dictionary, passes=2, random_state=0)
    print("gensim:", io.from_gensim(gensim_model, bags).corpus)

# %% [markdown]
# ## All of them

# %%
figure, axis = plt.subplots(figsize=(8, 3))
pairs = list(results["a file in MALLET's form"])
for i, (name, values) in enumerate(results.items()):
    gains = [values[pair] - values["φ", "θ"] for pair in pairs]
    axis.bar(np.arange(4) + 0.25 * i, gains, 0.25, label=name)
axis.set(xlabel="estimators", ylabel="log-likelihood per token,\ngain over φ + θ")
axis.set(xticks=np.arange(4) + 0.25, xticklabels=[" + ".join(pair) for pair in pairs])
axis.legend()
plt.show()

# %% [markdown]
# All samples give the same order: φ + θ is lowest (its gain over itself is 0), φᵖ + θᵖ highest. Nothing was fitted
# again.
#
# ## Exercises
#
# **1.** Which of these programs could give φᵖ, if only they kept what they know? `lda`, gensim, WarpLDA.
#
# <details><summary>Answer</summary>
#
# `lda` is a Gibbs sampler, but deletes the assignments at the end of `fit`. WarpLDA writes them: `io.read_warplda`.
# gensim has none to give.
#
# </details>
#
# **2.** The paper's own program leaves a token out of the counts of its document only, or of nothing at all. Compare
# `leave_out="token"`, `"document"` and `"none"` of `estimators.phi_p`. Does it matter?
#
# <details><summary>Answer</summary>
#
# A little, for rare words: leaving nothing out lets a token confirm itself, which lies between hard and soft counts.
# The last cell compares them.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
assert corpus.num_tokens == reuters.num_tokens and len(corpus) == len(reuters)
assert np.allclose(adopted.phi_, estimators.phi_p(sample, corpus.data(priors=priors)), rtol=1e-4)
assert sorted(corpus.vocab) == sorted(reuters.vocab)
assert np.allclose(np.sort(np.asarray(sample.counts.n_k)), np.sort(np.bincount(z, minlength=K)))  # nothing was lost
for values in results.values():
    middle = values["φᵖ", "θ"], values["φ", "θᵖ"]
    assert values["φ", "θ"] < min(middle) and max(middle) < values["φᵖ", "θᵖ"]  # the paper's order
assert "line 10" in refusal and "transition probabilities" in no_z
data = corpus.data(priors=priors)
hard = np.asarray(estimators.phi(sample.counts, data))
away = {rule: np.abs(estimators.phi_p(sample, data, leave_out=rule) - hard).sum() for rule in ("token", "none")}
assert away["none"] < away["token"]  # exercise 2
holder.cleanup()
