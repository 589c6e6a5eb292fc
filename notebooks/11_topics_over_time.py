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
# # 11 · Topics over time, and who talks about what
#
# > *"My texts have dates and authors. When was each topic talked about? And is the difference between two parties real,
# > or would I see as much by chance?"*
#
# A corpus can know more of its documents than their words. With years, parties or authors beside them, the topic
# proportions θ become curves over time, and differences between groups. Both are only worth showing with bands.

# %%
import re

import matplotlib.pyplot as plt
import numpy as np

import jaxlda

# %% [markdown]
# ## Documents with dates
#
# Our texts are the State of the Union addresses of the presidents of the United States, 1790 to 2021, cut into passages
# of about 200 words. They are a file of their own; where it is missing, the notebook goes on with 395 news stories of
# Reuters, 1996 and 1997, and says so.

# %%
try:
    corpus = jaxlda.datasets.load("sotu", min_df=20)
    by, width, who, pair = "year", 10, "party", ("Democratic", "Republican")
except FileNotFoundError:
    print("There is no sotu.jsonl.gz in the folder JAXLDA_DATA: we take stories of Reuters, by month and country.")
    reuters = jaxlda.datasets.load("reuters")
    days = [re.search(r"(\d{4})-(\d\d)-\d\d$", title) for title in reuters.titles]
    months = [None if day is None else 12 * (int(day[1]) - 1996) + int(day[2]) for day in days]
    country = ["UK" if re.match(r"\d+ UK:", title) else "other" for title in reuters.titles]
    corpus = reuters.with_metadata({"month": months, "country": country})
    by, width, who, pair = "month", 2, "country", ("UK", "other")
print(corpus.summary())
print(corpus.metadata.head(3))

# %% [markdown]
# The summary also tells what was *left out*: stop words, and words of too few passages. Passages keep the order of
# their words, so we can read what the model reads:

# %%
print(corpus.titles[3], "—", " ".join(corpus.tokens_of(3)[:25]), "…")

# %% [markdown]
# ## A model, and its topics by decade
#
# Twenty topics are few for 230 years, but enough to see. `keep=("theta",)` keeps θ of every draw: we need it for bands.
#
# One chain is one view. With 50 topics, all chains have some that peak after 2001, but only about half of them have one
# that peaks in the Civil War, 1861 to 1865: its own words (emancipation, rebellion) are a few hundred of 767,040. The
# gallery of the documentation draws one that has it: a topic of *states* and *union* is highest in 1862, at 10 %
# (7 to 14 %), one of *jobs* in 2012, at 37 % (30 to 43 %).
# Before you tell a story about one topic, see whether other chains have it: `model.topics()` says how stable each is.
# Whole addresses, `load("sotu", words=None)`, have one that peaks then for each of five seeds that we tried. But an
# address is about all of its year, and so is the topic: *slavery* is among its six first words for two seeds only.

# %%
K = 20
model = jaxlda.LDA(
    K, num_warmup=80, num_samples=10, thinning=2, num_chains=1, keep=("theta",), trace_every=0, seed=3, progress=False
).fit(corpus)
top = model.top_words(6)
table = model.prevalence(by, width=width)
print(table.head(3).round(3))

# %% [markdown]
# `share` is the mean of θ over the documents of a group. When is each topic at its highest?

# %%
peak = table.loc[table.groupby("topic").share.idxmax()].set_index("topic")
for k in np.argsort(peak[by].to_numpy(), kind="stable"):
    print(f"{peak[by][k]}  {peak.share[k]:4.0%}  topic {k:2d}: {' '.join(top[k])}")

# %% [markdown]
# ## Curves with bands
#
# We draw the four topics that vary most. The band has two parts. *Documents*: had the president written other passages
# that year, the mean would be another one. *Draws*: θ of the passages that we do have is not known exactly. Both are in
# the table as standard errors; here are both together.

# %%
spread = table.groupby("topic").share.agg(lambda share: share.max() - share.min())
chosen = spread.sort_values(ascending=False).index[:4]
figure, axis = plt.subplots(figsize=(9, 3.6))
for k in chosen:
    own = table[table.topic == k]
    (line,) = axis.plot(own[by], own.share, label=" ".join(top[k][:4]))
    axis.fill_between(own[by], own.low, own.high, alpha=0.2, color=line.get_color())
axis.set(xlabel=by, ylabel="share of the topic", ylim=(0, None))
axis.legend(fontsize=8)
plt.show()

# %%
parts = table[["se_documents", "se_draws"]].mean()
print(f"standard errors, on average: documents {parts.se_documents:.4f}, draws {parts.se_draws:.4f}")

# %% [markdown]
# ## Two groups
#
# Which topics do two groups share unequally? One interval of 95 % is wrong once in twenty times. We have twenty
# topics, so one of them would be wrong on average! `compare_groups` makes the intervals wider such that *all of them
# together* are right with 95 %.

# %%
corrected = model.compare_groups(who, pair)
order = np.argsort(corrected.difference.to_numpy())
figure, axis = plt.subplots(figsize=(7, 5))
for row, k in enumerate(order):
    one = corrected.loc[k]
    axis.plot([one.low, one.high], [row, row], color="tab:blue" if one.differs else "0.7")
    axis.plot(one.difference, row, "o", color="tab:blue" if one.differs else "0.7")
axis.axvline(0, color="0.3", linewidth=0.8)
axis.set(yticks=range(K), yticklabels=[" ".join(top[k][:3]) for k in order], xlabel=f"share: {pair[0]} minus {pair[1]}")
axis.tick_params(axis="y", labelsize=7)
plt.show()
print(f"{int(corrected.differs.sum())} of {K} topics differ, at 95 % for all of them together")

# %% [markdown]
# But is it the *party*, or the *time*? Republicans and Democrats did not speak in the same years, and a topic of the
# 1890s belongs to whoever was president then. Groups that differ in time differ in topics. A fair comparison takes the
# same years, or shows both columns: `model.prevalence([who, by], width=width)`.

# %%
both = model.prevalence([who, by], width=width)
print(both[both.topic == int(chosen[0])].tail(4).round(3).to_string(index=False))

# %% [markdown]
# ## Exercises
#
# **1.** Draw the bands with `bands="draws"` only. Are they narrower? What do they *not* say?
#
# <details><summary>Answer</summary>
#
# They are: they say how well we know θ of these very documents. They do not say how other documents of the same year
# would have been.
#
# </details>
#
# **2.** Passages of one address are not independent of each other. Are our bands too wide or too narrow?
#
# <details><summary>Answer</summary>
#
# Too narrow: forty passages of one speech tell less than forty speeches would. Whole addresses
# (`datasets.load("sotu", words=None)`) are independent documents, but there are only a few in each decade, and each of
# them is about everything.
#
# </details>
#
# **3.** Make the groups smaller, `width=1`. Why do the curves jump, and what do the bands do?
#
# <details><summary>Answer</summary>
#
# With fewer documents in each group, its mean is less certain: the bands become wider, and most jumps stay within them.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
groups = table.groupby(by)
assert np.allclose(groups.share.sum(), 1, atol=1e-4)  # the topics of a group add up to the whole
assert ((table.low <= table.share) & (table.share <= table.high)).all()
assert table.attrs["draws"] == 10 and table.se_draws.min() > 0
assert peak[by].nunique() >= 4  # topics have their times
narrow = model.prevalence(by, width=width, bands="draws")
assert (narrow.high - narrow.low).mean() < (table.high - table.low).mean()
assert corrected.attrs["comparisons"] == K and len(corrected) == K
assert set(both[who]) == set(corpus.metadata[who])
if by == "year":  # the century that each topic belongs to can be seen
    late = peak[peak.year >= 1990]
    assert len(late) and any({"america", "americans", "jobs"} & set(model.top_words(10)[k]) for k in late.index)
