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
# # 4 · How many samples?
#
# > *"Every time I run the sampler I get other numbers. How good is one sample, how many should I average, and how would
# > I even **measure** that?"*
#
# Three answers: measure by how well the model predicts words that it has not seen; average as many samples as you can
# afford, but only where that is allowed; and if you can afford few, use $\hat\theta^p$, which is worth several at once.

# %%
import jax
import matplotlib.pyplot as plt
import numpy as np

import jaxlda
from jaxlda import evaluation

# %% [markdown]
# ## Perplexity
#
# A model gives a probability to every word that might come next. Take the words that really came, average the
# logarithms of their probabilities, change the sign and undo the logarithm (Eqs. 55 and 56):
#
# $$\text{perplexity} = \exp\Big(-\frac{1}{N} \sum_i \log \sum_k \theta_{d_i k}\, \phi_{k w_i}\Big).$$
#
# It is the number of words among which one would have to guess. Someone who knows nothing has a perplexity of $V$, the
# size of the vocabulary. Someone who always knows the next word has 1. Lower is better.

# %%
corpus = jaxlda.datasets.load("reuters")
train, test = corpus.split(test_size=0.2, seed=0)
print(train, test, sep="\n")

V = corpus.num_words
frequency = (np.asarray(train.counts.sum(0)).ravel() + 0.01) / (train.num_tokens + 0.01 * V)


def perplexity(phi, theta, documents):
    return evaluation.perplexity(evaluation.log_likelihood(phi, theta, documents), documents.num_tokens)


one_topic = np.ones((len(test), 1))  # everything in a single topic
knows_nothing = perplexity(np.full((1, V), 1 / V), one_topic, test)
knows_frequencies = perplexity(frequency[None], one_topic, test)
print(f"knows nothing: {knows_nothing:,.0f}; knows how frequent words are: {knows_frequencies:,.0f}")

# %% [markdown]
# ## Half a document predicts the other half
#
# To score a *new* document the model needs its proportions $\theta_d$, and may get them only from the document itself.
# Scoring the very words that $\theta_d$ was fitted to would be cheating. So every test document is cut in two at
# random: from the **observed** half $\theta_d$ is inferred, with the topics held fixed (Eq. 4), and the **held** half
# is scored. This is *document completion*.

# %%
model = jaxlda.LDA(num_topics=20, num_warmup=150, num_samples=1, num_chains=1, progress=False).fit(train)
observed, held = test.halves(seed=0)
phis = {"φ": model.estimates("phi"), "φᵖ": model.estimates("phi_p")}

S, C = 30, 4
runs = {}
for name, phi in phis.items():
    runs[name] = jaxlda.run(
        jax.random.key(1),
        jaxlda.kernels.cgs(),
        observed.data(phi=phi, alpha=model.alpha),
        num_warmup=50,
        num_samples=S,
        thinning=5,
        num_chains=C,
        keep=("theta", "theta_p"),
        trace_every=0,
    )
print(runs["φ"].theta.shape, "(chain, draw, document, topic)")

# %% [markdown]
# ## Averaging
#
# With the topics fixed, topic 3 is topic 3 in every draw and every chain, so proportions may simply be averaged (Eqs.
# 26 and 29). (A *draw* is a state of the sampler that is kept, a *chain* is one run of it from its own start; between
# two draws the chain makes five sweeps, `thinning=5`, so that they differ.) We average the first $S$ draws of one
# chain, for $S$ from 1 to 30, for four pairs: topics from hard or soft counts, proportions from hard or soft counts
# (notebook 3).

# %%
samples = (1, 2, 3, 5, 10, 20, 30)
curves = {}
for phi_name, phi in phis.items():
    for theta_name in ("theta", "theta_p"):
        draws = getattr(runs[phi_name], theta_name)
        curves[phi_name, theta_name] = np.array(
            [np.mean([perplexity(phi, draws[c, :s].mean(0), held) for c in range(C)]) for s in samples]
        )
everything = {
    kind: perplexity(phis["φᵖ"], getattr(runs["φᵖ"], kind).mean((0, 1)), held) for kind in ("theta", "theta_p")
}

figure, axis = plt.subplots(figsize=(8, 4))
for (phi_name, theta_name), values in curves.items():
    style = "-" if phi_name == "φᵖ" else "--"
    color, symbol = ("C3", "θᵖ") if theta_name == "theta_p" else ("C0", "θ")
    axis.plot(samples, values, style, color=color, marker="o", ms=4, label=f"{phi_name} + {symbol}")
axis.axhline(everything["theta_p"], color="0.5", lw=1, ls=":", label=f"φᵖ + θᵖ, {C} chains × {S} draws")
axis.set(xlabel="draws averaged (S)", ylabel="perplexity of the held half", xscale="log", xticks=samples)
axis.set_xticklabels(samples)
axis.legend()
plt.show()

# %% [markdown]
# Each dot is the mean over four chains. Four things to read off:
#
# * **Averaging helps**, most of all the first few draws.
# * **θᵖ starts where θ arrives only after a few draws** (red below blue): one soft count already averages over all that
#   each token might have done next.
# * **In the end they meet**, red and blue of the same kind of line. Both estimate the same θ; soft counts only get
#   there sooner.
# * Solid and dashed lines do **not** meet: φ and φᵖ come from one training sample each, however many θ are averaged.
#   Soft topics are better to the end.

# %%
first_theta, first_theta_p = curves["φᵖ", "theta"][0], curves["φᵖ", "theta_p"][0]
worth = next(
    (s for s, value in zip(samples, curves["φᵖ", "theta"], strict=True) if value <= first_theta_p), f"over {S}"
)
print(f"one sample: θ {first_theta:.0f}, θᵖ {first_theta_p:.0f} (ratio {first_theta_p / first_theta:.3f})")
print(f"θ needs {worth} samples to reach one θᵖ")
print(f"{C} chains × {S}: θ {everything['theta']:.0f}, θᵖ {everything['theta_p']:.0f}")

# %% [markdown]
# ## Never average topics over chains
#
# Between chains of a *training* run the number of a topic means nothing (notebook 5). `jaxlda` refuses:

# %%
training = jaxlda.run(
    jax.random.key(0), jaxlda.kernels.cgs(), train.data(20), num_warmup=5, num_chains=2, trace_every=0
)
try:
    training.counts()
except ValueError as error:
    refusal = str(error)
    print(refusal)

# %% [markdown]
# ## In one line
#
# All of this is what `perplexity_table` does: it halves, infers, averages and scores.

# %%
table = model.perplexity_table(test, num_samples=5, num_chains=2)
table.round(1)

# %% [markdown]
# ## Exercises
#
# **1.** Score the *observed* half with the θ that was inferred from it. Is the perplexity higher or lower than that of
# the held half? What does that tell you about papers that report it?
#
# <details><summary>Answer</summary>
#
# Lower, see the last cell: θ has been fitted to these very words. A model with more topics can fit them better and
# better without predicting anything better. Such numbers cannot be compared with those of document completion.
#
# </details>
#
# **2.** The perplexity of document completion gets worse, if the observed half has few tokens. Why?
#
# <details><summary>Answer</summary>
#
# With few tokens the proportions are uncertain and the prior decides. This is also when averaging and soft counts help
# most: there is more doubt about the topic of every token.
#
# </details>
#
# **3.** Why do we average θ over draws and not the *perplexities*?
#
# <details><summary>Answer</summary>
#
# The average of probabilities is itself a prediction, that of someone who admits not to know which draw is right, and
# it is better than the average score of the single predictions (the logarithm is concave: Jensen's inequality).
# Averaging the perplexities would only tell how good one draw is on average.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
observed_score = perplexity(phis["φᵖ"], runs["φᵖ"].theta.mean((0, 1)), observed)
print(f"observed half {observed_score:.0f}, held half {everything['theta']:.0f}")
assert np.isclose(knows_nothing, V, rtol=1e-3)
assert everything["theta_p"] < knows_frequencies < knows_nothing  # the model has learned something
for phi_name in phis:
    theta_curve, theta_p_curve = curves[phi_name, "theta"], curves[phi_name, "theta_p"]
    assert theta_p_curve[0] < 0.99 * theta_curve[0]  # better from one sample
    assert theta_curve[-1] < 0.97 * theta_curve[0]  # averaging helps
    assert abs(theta_p_curve[-1] / theta_curve[-1] - 1) < 0.25 * (1 - theta_p_curve[0] / theta_curve[0])  # they meet
assert (curves["φᵖ", "theta_p"] < curves["φ", "theta_p"]).all()  # soft topics, too
assert curves["φᵖ", "theta"][1] > 0.98 * first_theta_p  # one θᵖ is about worth two θ or more
assert "unrelated topics" in refusal
assert observed_score < 0.95 * everything["theta"]  # exercise 1
