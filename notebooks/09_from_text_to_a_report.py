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
# # 9 · Your own corpus, from text to a report
#
# > *"Nice theory. I have a folder of texts. What do I type, in which order, and what can I show my boss in the end?"*
#
# Read, look, clean, choose the number of topics, fit, check, look again, report, and use the model for new texts. As an
# example we take texts that you have, too: the documentation inside Python's standard library. Put your own in their
# place.

# %%
import importlib
import inspect
import tempfile
from html import escape
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import HTML, display

import jaxlda
from jaxlda import io, plots, topics

holder = tempfile.TemporaryDirectory()
folder = Path(holder.name)

# %% [markdown]
# ## Texts
#
# One document for every function and class that explains itself in at least 25 words; its title is its name.

# %%
modules = (
    "argparse calendar collections csv datetime email.message fractions functools http.client http.cookiejar "
    "inspect itertools json logging math multiprocessing.pool os pathlib random re shutil smtplib socket sqlite3 ssl "
    "statistics subprocess tarfile threading unittest.case urllib.request xml.dom.minidom zipfile"
).split()


def explanations(name):
    """Titles and texts of a module's functions, classes and their methods."""
    module, seen = importlib.import_module(name), {}
    for title, thing in vars(module).items():
        if title.startswith("_") or not (inspect.isclass(thing) or inspect.isroutine(thing)):
            continue
        parts = {title: thing}
        if inspect.isclass(thing):
            parts |= {f"{title}.{part}": getattr(thing, part) for part in vars(thing) if not part.startswith("_")}
        for part, one in parts.items():
            text = " ".join((inspect.getdoc(one) or "").split())
            if len(text.split()) >= 25:
                seen.setdefault(text, f"{name}.{part}")  # a text that occurs twice is one document
    return [(title, text) for text, title in seen.items()]


documents = [(name, title, text) for name in modules for title, text in explanations(name)]
module_of, titles, texts = (list(column) for column in zip(*documents, strict=True))
print(len(texts), "documents")
print(titles[0], "—", texts[0][:150], "…")

# %% [markdown]
# ## Read and look
#
# `io.read_text` takes a file with one document per line (there are readers for CSV, JSON lines, zipped folders and
# several formats of counts, too). Before any model: which words are there, and how long are the documents?

# %%
path = folder / "texts.txt"
path.write_text("\n".join(texts) + "\n", encoding="utf-8")
raw = io.read_text(path)
frequency = np.asarray(raw.counts.sum(0)).ravel()
print(raw)
print("most frequent:", " ".join(raw.vocab[np.argsort(-frequency)[:25]]))
print(f"{(frequency == 1).mean():.0%} of the words occur only once")

# %% [markdown]
# As always: *the*, *of* and *is* lead the list and say nothing, and a great many words are so rare that nothing can be
# learned about them. All options of scikit-learn's `CountVectorizer` are understood, so: only words of letters, of
# three or more, in at least five documents, and no *stop words*.

# %%
options = {"token_pattern": r"(?u)\b[a-z]{3,}\b", "min_df": 5, "stop_words": "english"}
corpus = io.read_text(path, **options)
print(corpus)
print("documents that are empty now:", int((corpus.n_d == 0).sum()))

figure, axis = plt.subplots(figsize=(7, 2.2))
axis.hist(corpus.n_d, bins=np.arange(0, 150, 5))
axis.set(xlabel="tokens in a document", ylabel="documents")
plt.show()

# %% [markdown]
# ## How many topics?
#
# There is no right number, but there are numbers that predict better. `choose_k` fits several and scores them on
# documents that were held back (notebook 4). `smallest_within_one_se` is the smallest number of topics that cannot be
# told from the best. More topics than that are harder to read, and predict no better.

# %%
choice = jaxlda.choose_k(
    corpus,
    [3, 12],
    num_warmup=60,
    num_chains=1,
    trace_every=0,
    inference={"num_warmup": 20, "num_samples": 5, "num_chains": 1},
    progress=False,
)
print(choice)

# %% [markdown]
# (With two candidates this is quick; try `[3, 6, 12, 25, 50]`.)
#
# ## Fit, and ask whether to believe it
#
# Four chains, and the verdict of notebook 5. On texts as short as these it will hardly be "converged" for every topic;
# what matters is which topics are *stable*.

# %%
K = 12
model = jaxlda.LDA(num_topics=K, num_warmup=150, num_samples=10, thinning=5, num_chains=4, progress=False).fit(corpus)
found = model.diagnostics()
stability = found.topics["stability"].to_numpy()
print(found.verdict, "\n")
top = model.top_words(8)
for k in np.argsort(-stability):
    print(f"stability {stability[k]:.2f}  topic {k:2d}: {' '.join(top[k])}")

# %% [markdown]
# ## Look again: topics and documents
#
# A topic is known by its words *and* by the documents that have most of it. We also know which module each text comes
# from, which the model was not told. Do topics find modules?

# %%
best = int(np.argmax(stability))
print(topics.top_documents(model.theta_[:, best], corpus.n_d, titles, n=5).to_string(index=False))

by_module = np.array([model.theta_[[name == of for of in module_of]].mean(0) for name in modules])
order = np.argsort(by_module.argmax(1), kind="stable")
figure, axis = plt.subplots(figsize=(7, 7))
image = axis.imshow(by_module[order], cmap="Blues", aspect="auto", vmin=0)
axis.set(xticks=range(K), xlabel="topic", yticks=range(len(modules)), yticklabels=[modules[i] for i in order])
figure.colorbar(image, label="mean share")
plt.show()

# %% [markdown]
# ## A report
#
# One HTML file with everything in it, to be mailed and opened anywhere, without Python and without a network. It stays
# in the current folder, as `python-report.html`. (The dashboard, `jaxlda dashboard`, writes such reports, too.)

# %%
rows = "".join(
    f"<tr><td>{k}</td><td>{stability[k]:.2f}</td><td>{escape(' '.join(top[k]))}</td></tr>"
    for k in np.argsort(-stability)
)
text = (
    f"<h1>What Python's documentation talks about</h1><p>{escape(repr(corpus))}</p><p>{escape(found.verdict)}</p>"
    f"<table><tr><th>topic</th><th>stability</th><th>words</th></tr>{rows}</table>"
)
figures = {"The chains": plots.trace(model), "A map of the topics": plots.topics(model)}
report = Path("python-report.html")
report.write_text(plots.as_report(text, figures, "Python's documentation"), encoding="utf-8")
print(f"{report.name}: {report.stat().st_size / 1e6:.1f} MB")

# %% [markdown]
# This is what your boss sees:

# %%
page = escape(report.read_text(encoding="utf-8"))
display(HTML(f'<div><iframe srcdoc="{page}" title="the report" style="width: 100%; height: 900px"></iframe></div>'))

# %% [markdown]
# ## Keep it, and use it
#
# A saved model is one file. Loaded, it gives topics to new texts: `again.transform(questions)` reads them as it has
# read its own, and warns of words that it does not know. Here we count words of its own vocabulary, and no others.

# %%
model.save(folder / "python.jaxlda")
again = jaxlda.load(folder / "python.jaxlda")
questions = [
    "Open the file at the given path and follow symbolic links; the path is relative to a directory descriptor",
    "Receive bytes of data from the socket into a buffer and return the address of the sender",
]
new = jaxlda.Corpus.from_texts(questions, vocabulary=again.vocab_)
theta_new = again.transform(new, num_samples=10, num_chains=2)
for question, theta_d in zip(questions, theta_new, strict=True):
    k = int(theta_d.argmax())
    print(f"{question[:60]}…\n    {theta_d[k]:.0%} topic {k}: {' '.join(top[k])}")

# %% [markdown]
# ## Exercises
#
# **1.** Leave out `stop_words="english"`. What do the topics look like?
#
# <details><summary>Answer</summary>
#
# *the*, *of* and *to* lead most of them. The model is not wrong, these words are what most tokens are, but it is not
# what we want to read. (With `learn_alpha="asymmetric"` one or two large topics tend to collect them.)
#
# </details>
#
# **2.** Change `min_df` to 1 and fit again. The perplexity is much higher. Has the model become worse?
#
# <details><summary>Answer</summary>
#
# Not necessarily: there are more words to guess among, and rare ones are hard to guess. Perplexities can only be
# compared on the same documents in the same vocabulary.
#
# </details>
#
# **3.** A topic has words that do not belong together. What do you do?
#
# <details><summary>Answer</summary>
#
# First look at its stability: if the other chains do not have it, do not interpret it. Then at the documents that use
# it most: often they explain it (a long list, another language, a boilerplate text). Clean these out, or fit more
# topics.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
assert len(texts) > 300 and corpus.num_docs == len(texts)  # document d is line d + 1
assert "the" in raw.vocab and "the" not in corpus.vocab and corpus.num_words < raw.num_words
assert choice.best == 12  # more than three topics are worth having
assert stability.max() > 0.6
usual = model.theta_.mean(0)
assert (
    np.mean((by_module - usual).max(1) > 0.1) > 0.6
)  # most modules have a topic that they use much more than others do
html = report.read_text(encoding="utf-8")
assert escape(found.verdict[:40]) in html.replace("\\u0026", "&") and "http-equiv" not in html
assert np.array_equal(again.phi_, model.phi_)  # as it was
assert theta_new.shape == (2, K) and theta_new.max(1).min() > 0.25  # clear answers about texts it has never seen
assert theta_new[0].argmax() != theta_new[1].argmax()
holder.cleanup()
