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
# # 7 · Several labels per document
#
# > *"My documents have labels: sport, politics, money; some have two or three. Can a topic model **learn from the
# > labels**, and give them to new documents?"*
#
# Yes, and it takes no new algorithm. Let every **label be a topic**, and forbid each training document all topics but
# its own labels. The sampler then has only to decide which word belongs to which of the document's labels. For new
# documents everything is allowed again, and the labels are read off.

# %%
import matplotlib.pyplot as plt
import numpy as np

import jaxlda
from jaxlda.evaluation import multilabel

# %% [markdown]
# ## A small newspaper
#
# We make one, so that we know the truth. Eight labels of very different frequency, each with words of its own; and some
# words that belong to two (*play* is for sport and for music, *market* for money and for cooking).

# %%
words = {
    "politics": "vote party election minister law parliament debate reform campaign speech state power",
    "sport": "team goal match player coach league win race final play ball record",
    "money": "market bank price share tax trade loan profit growth debt fund record",
    "health": "doctor patient hospital drug vaccine heart disease sleep nurse study risk law",
    "music": "band song concert guitar album singer stage play festival tour sound record",
    "cooking": "recipe oven sugar butter soup chef taste market kitchen salt bread fish",
    "travel": "hotel flight beach island train ticket museum guide tour city mountain fish",
    "science": "cell energy planet theory study data particle light model experiment sound power",
}
labels = list(words)
frequency = np.array([0.28, 0.22, 0.16, 0.11, 0.08, 0.06, 0.05, 0.04])  # how often each label is given
rng = np.random.default_rng(0)
everyday = "year people time day work life home world".split()


def write(number):
    texts, own = [], []
    for _ in range(number):
        size = rng.choice([1, 2, 3], p=[0.45, 0.4, 0.15])
        chosen = rng.choice(8, size=size, replace=False, p=frequency)
        shares = rng.dirichlet(np.full(size, 3.0))
        text = [rng.choice(words[labels[k]].split()) for k in rng.choice(chosen, size=25, p=shares)]
        texts.append(" ".join([*text, *rng.choice(everyday, size=8)]))
        own.append({labels[k] for k in chosen})
    return texts, own


texts, own = write(320)
train = jaxlda.Corpus.from_texts(texts[:240], labels=own[:240])
test = jaxlda.Corpus.from_texts(texts[240:], labels=own[240:], label_names=train.label_names, vocabulary=train.vocab)
print(train, test, sep="\n")
print(own[0], "—", texts[0])

# %% [markdown]
# ## Labeled LDA: a prior with zeros
#
# In LDA, $\alpha_k$ says how much of topic $k$ to expect in a document. Zero means never. With $\mathcal K_d$ the set
# of labels of document $d$, the sampler draws (Eq. 5)
#
# $$p(z_i = k) \;\propto\; \frac{n_{kv\neg i} + \beta_v}{n_{k\neg i} + \sum_v \beta_v}\,(n_{dk\neg i} + \alpha_k)
#   \quad\text{if } k \in \mathcal K_d, \text{ and } 0 \text{ otherwise}.$$
#
# This is Eq. 1 with one row of $\alpha$ per document, and the same compiled sampler runs it.
#
# ## Prior-LDA: some labels are more frequent
#
# **Prior-LDA** adds what anybody knows who reads newspapers: politics is frequent, science is rare. With $f_k$ the
# number of training documents with label $k$ (Eqs. 58 and 59):
#
# $$\alpha_k = \frac{50}{K}\ \text{in training}, \qquad
#   \alpha_k = 50\,\frac{f_k}{\sum_{k'} f_{k'}} + \frac{30}{K}\ \text{for new documents}.$$

# %%
model = jaxlda.PriorLDA(num_warmup=30, num_samples=10, num_chains=2, progress=False).fit(train)
for label, top in zip(model.classes_, model.top_words(6), strict=True):
    print(f"{label:9s}", " ".join(top))

figure, axis = plt.subplots(figsize=(7, 2.5))
axis.bar(model.classes_, model.prediction_alpha_)
axis.set(xlabel="label", ylabel="α, new documents (Eq. 59)")
plt.show()

# %% [markdown]
# Each topic has the words of its label, and its *name*: numbers cannot be mixed up any more, so draws and chains may be
# averaged.
#
# ## New documents

# %%
predicted = model.predict_sets(test)
for i in range(5):
    print(f"{sorted(own[240 + i])!s:34s} predicted {sorted(predicted[i])}")

# %% [markdown]
# Two decisions are made here. Labels are **ranked** for every document, and then the list is **cut**. How many to keep
# is learned from the words as well, by a regression (the *Meta-Labeler*).
#
# Measure with F1, the balance of *precision* (how many of the predicted labels are right) and *recall* (how many of the
# right ones are predicted). Micro-F1 counts all decisions alike; macro-F1 averages over labels, so that rare ones count
# as much as frequent ones; example-F1 averages over documents. `zero_division` says what a label that never occurs and
# is never predicted counts: say it always.

# %%
scores = model.decision_function(test)
f1 = {"Prior-LDA": multilabel.f_measures(test.labels, model.predict(test), zero_division=1)}
frequency_in_training = np.asarray(train.labels.sum(0)).ravel()
always = np.tile(frequency_in_training, (len(test), 1))  # the same ranking for every document
f1["most frequent two"] = multilabel.f_measures(test.labels, multilabel.top_n(always, 2), zero_division=1)
sizes = np.diff(test.labels.indptr)
f1["right number known"] = multilabel.f_measures(test.labels, multilabel.top_n(scores, sizes), zero_division=1)
for name, value in f1.items():
    print(f"{name:20s} micro {value.micro:.2f}  macro {value.macro:.2f}  example {value.example:.2f}")

# %% [markdown]
# ## What to rank by?
#
# The natural choice seems to be $\hat\theta^p_d$, the proportions. It is the posterior mean, and nothing is wrong with
# it: prior and words are each counted once. But it answers another question. The prior adds up to 80, and a document
# here has 33 words, so $\hat\theta^p_d$ is mostly *the proportions to expect before reading*, and frequent labels come
# first in every document. For ranking we want to know what **these words** say: the soft counts, without $\alpha_k$
# added. They rank better here, and are the default (`rank_by="soft_counts"`).

# %%
by = {}
for rank_by in ("soft_counts", "hard_counts", "theta_p", "theta"):
    ranked = multilabel.top_n(model.set_params(rank_by=rank_by).decision_function(test), sizes)
    by[rank_by] = multilabel.f_measures(test.labels, ranked, zero_division=1)
    print(f"{rank_by:12s} micro {by[rank_by].micro:.3f}  macro {by[rank_by].macro:.3f}")
model.set_params(rank_by="soft_counts")

figure, axis = plt.subplots(figsize=(7, 2.5))
position = np.arange(4)
axis.bar(position - 0.2, [value.micro for value in by.values()], 0.4, label="micro")
axis.bar(position + 0.2, [value.macro for value in by.values()], 0.4, label="macro")
axis.set(xticks=position, xticklabels=list(by), xlabel="labels ranked by", ylabel="F1, number of labels given")
axis.set_ylim(0, 1.25)
axis.legend(ncols=2, loc="upper right")
plt.show()

# %% [markdown]
# ## Exercises
#
# **1.** A training document has a single label. What does the sampler have to decide in it?
#
# <details><summary>Answer</summary>
#
# Nothing: every word belongs to that label. Such documents are free, and they are the ones that tell most about a
# label's words. The others are sorted out with their help.
#
# </details>
#
# **2.** Where do the everyday words (*year*, *people*) go? Look at `model.top_words(12)`.
#
# <details><summary>Answer</summary>
#
# Into all labels, because every word must belong to some label of its document. `jaxlda.PLDA` offers shared topics for
# them, which every document may use.
#
# </details>
#
# **3.** Fit `jaxlda.LabeledLDA` instead. Which documents change?
#
# <details><summary>Answer</summary>
#
# Those whose words are in doubt between a frequent label and a rare one. Labeled LDA does not know which labels are
# frequent. On real collections with hundreds of labels the difference is large.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
for label, top in zip(model.classes_, model.top_words(5), strict=True):
    assert len(set(top) & set(words[label].split())) >= 3, label  # the words of a label are found
outside = np.asarray(train.labels.todense()) == 0
assert np.asarray(model.run_.counts().n_dk)[outside].max() == 0  # no word of a document goes to labels it does not have
assert f1["Prior-LDA"].micro > f1["most frequent two"].micro + 0.2
assert f1["right number known"].micro > 0.7
assert by["soft_counts"].micro > by["theta"].micro + 0.02  # the words, not a heavy prior
assert np.isclose(model.prediction_alpha_.sum(), 80, rtol=1e-3)  # Eq. 59
most = int(frequency_in_training.argmax())
assert model.prediction_alpha_.argmax() == most
