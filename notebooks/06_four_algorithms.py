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
# # 6 · CVB0, variational Bayes, Gibbs, and NUTS
#
# > *"Gibbs sampling, CVB0, variational Bayes, Hamiltonian Monte Carlo: every package uses another one. Do they give the
# > same answer? And which should I use?"*
#
# They do not all answer the same question. The **posterior** is what one believes about $z$, $\theta$ and $\phi$ after
# having seen the words. Some algorithms draw **samples** of it: wait long enough, and they are right. Others look for
# the best **approximation** of a simple kind: they stop moving, and stay a little wrong. We compare all four with the
# exact answer on a corpus of twelve tokens, and then on news.

# %%
import itertools
from functools import partial

import jax
import matplotlib.pyplot as plt
import numpy as np
from numpyro.infer import MCMC, NUTS
from scipy.special import gammaln, logsumexp
from scipy.stats import t

import jaxlda
from jaxlda import estimators, evaluation, ppl

# %% [markdown]
# ## Twelve tokens, and the exact answer
#
# Three documents, four words, two topics. Uneven priors say which topic is which: topic 0 is expected to like the first
# words, topic 1 the last ones. There are $2^{12} = 4096$ ways to give topics to twelve tokens, few enough to go through
# all of them. Given $z$, the mean of $\theta_d$ is Eq. 3; the posterior mean is the average of that over all $z$,
# weighted by $p(w, z)$ (Eq. 26).

# %%
counts = np.array([[3, 1, 0, 0], [0, 0, 1, 3], [1, 1, 1, 1]])
alpha = np.array([0.6, 0.9])
beta = np.array([[3.0, 2.0, 0.6, 0.5], [0.5, 0.7, 2.0, 3.0]])
corpus = jaxlda.Corpus.from_counts(counts, ["ant", "bee", "cow", "dog"])
data = corpus.data(alpha=alpha, beta=beta)

w, d = np.asarray(data.tokens.w), np.asarray(data.tokens.d)
all_z = np.array(list(itertools.product(range(2), repeat=12)))
is_topic = all_z[:, :, None] == np.arange(2)  # (4096, token, topic)
n_dk = np.stack([is_topic[:, d == doc].sum(1) for doc in range(3)], axis=1)
n_kv = np.stack([is_topic[:, w == v].sum(1) for v in range(4)], axis=2)
log_joint = gammaln(n_dk + alpha).sum((1, 2)) + gammaln(n_kv + beta).sum((1, 2))
log_joint -= gammaln(n_kv.sum(2) + beta.sum(1)).sum(1)
weight = np.exp(log_joint - logsumexp(log_joint))

a = n_dk + alpha  # given z, theta_d is Dirichlet(a_d)
mean_given_z = a / a.sum(2, keepdims=True)
square_given_z = mean_given_z * (a + 1) / (a.sum(2, keepdims=True) + 1)
exact = np.einsum("s,sdk->dk", weight, mean_given_z)
exact_sd = np.sqrt(np.einsum("s,sdk->dk", weight, square_given_z) - exact**2)
print("E θ =", exact[:, 0].round(3), "for topic 0 in the three documents")

# %% [markdown]
# ## Collapsed Gibbs sampling (CGS)
#
# Eq. 1 for one token after another (notebook 2). Each sweep gives a sample of $z$; averaging Eq. 3 over many of them
# gives the posterior mean.

# %%
gibbs = jaxlda.kernels.cgs()


@jax.jit
def many_sweeps(key, layout):
    def one(state, key):
        state, _ = gibbs.step(key, state, layout)
        return state, estimators.theta(gibbs.readout(state, layout), layout.data)

    return jax.lax.scan(one, gibbs.init(key, layout), jax.random.split(key, 5000))[1]


by_gibbs = np.asarray(many_sweeps(jax.random.key(0), gibbs.prepare(data))[200:]).mean(0)

# %% [markdown]
# ## CVB0
#
# CVB0 gives every token not one topic but a distribution $\gamma_{dik}$ over topics, and updates it by the same formula
# with *expected* counts (Eq. 6):
#
# $$\gamma_{dik} \;\propto\; \frac{n_{kv\neg i} + \beta_v}{n_{k\neg i} + \sum_v \beta_v}\,(n_{dk\neg i} + \alpha_k),
#   \qquad n_{dk} = \sum_i \gamma_{dik}, \text{ and so on}.$$
#
# Nothing is drawn. After some sweeps nothing moves any more.
#
# ## Variational Bayes (VB)
#
# VB keeps $\phi$ and $\theta$, and pretends that they and all $z_i$ are independent of each other. Among such
# distributions it looks for the one nearest to the posterior. It can prove that it gets better with every sweep,
# because it raises a lower *bound* of $\log p(w)$. The price is the pretence.

# %%
runs = {}
for name in ("cvb0", "vb"):
    kernel = jaxlda.kernels.KERNELS[name]()
    runs[name] = jaxlda.run(jax.random.key(0), kernel, data, num_warmup=95, num_samples=1, num_chains=1)
by_cvb0, by_vb = (np.asarray(estimators.theta(runs[name].counts(chain=0), data)) for name in ("cvb0", "vb"))

# %% [markdown]
# ## NUTS, in NumPyro
#
# NumPyro is a *probabilistic programming language*: you write down the model, and it finds a sampler. `jaxlda.ppl.lda`
# is the recipe of notebook 1 as a NumPyro model. NUTS (the *No-U-Turn Sampler*, a form of Hamiltonian Monte Carlo)
# rolls through the posterior like a ball over hills. For that it needs slopes (gradients), so everything has to be
# continuous: `marginal=True` sums over the topics of the tokens. It knows nothing about LDA, and that is its use here:
# an entirely different way to the same posterior.

# %%
mcmc = MCMC(NUTS(partial(ppl.lda, marginal=True)), num_warmup=200, num_samples=1500, progress_bar=False)
mcmc.run(jax.random.key(1), data)
theta_nuts = np.asarray(mcmc.get_samples()["theta"])
by_nuts, sd_nuts = theta_nuts.mean(0), theta_nuts.std(0)

# %% [markdown]
# ## Side by side

# %%
answers = {"exact": exact, "CGS": by_gibbs, "NUTS": by_nuts, "CVB0": by_cvb0, "VB": by_vb}
colors = {"exact": "0.3", "CGS": "C0", "CGSₚ": "C3", "NUTS": "C4", "CVB0": "C1", "VB": "C2"}
error = {name: np.abs(answer - exact).max() for name, answer in answers.items()}
for name, answer in answers.items():
    print(f"{name:6s}", answer[:, 0].round(3), f"off by {error[name]:.3f}")

figure, axes = plt.subplots(1, 2, figsize=(11, 3), layout="constrained")
for i, (name, answer) in enumerate(answers.items()):
    axes[0].bar(np.arange(3) + 0.16 * (i - 2), answer[:, 0], 0.16, label=name, color=colors[name])
axes[0].set(xticks=range(3), xlabel="document", ylabel="mean of θ, topic 0")
axes[0].legend(fontsize=8, ncols=2)

concentration = np.asarray(runs["vb"].counts(chain=0).n_dk) + alpha  # VB believes: theta_d is Dirichlet(this)
total = concentration.sum(1, keepdims=True)
sd_vb = np.sqrt(concentration * (total - concentration) / (total**2 * (total + 1)))
for i, (name, sd) in enumerate({"exact": exact_sd, "NUTS": sd_nuts, "VB": sd_vb}.items()):
    axes[1].bar(np.arange(3) + 0.25 * (i - 1), sd[:, 0], 0.25, label=name, color=colors[name])
axes[1].set(xticks=range(3), xlabel="document", ylabel="standard deviation of θ")
axes[1].legend(fontsize=8)
plt.show()

# %% [markdown]
# The samplers, CGS and NUTS, agree with the exact answer up to noise that more samples would take away. CVB0 and VB do
# not (CVB0 only just), and no number of sweeps will change it. The picture on the right shows VB's typical fault: it is
# **too sure of itself**, because it has forgotten that the topics are uncertain, too.
#
# ## On the news
#
# What matters in practice is prediction. The same texts (a quarter of the bundled Reuters corpus, so that this takes
# seconds), 10 topics, and **five seeds** for each algorithm, because one run proves nothing. Three things make the
# comparison fair:
#
# * Every algorithm runs **until it no longer climbs**: 2500 sweeps of Gibbs sampling, 300 of CVB0, 60 of VB. We check.
# * A sampler's answer is an *average* over its draws. From each chain we take one draw, and the average of the last 25.
# * To compare nothing but the **topics**, the proportions of the test documents are inferred in the same way for all.
#
# Perplexity is that of document completion (notebook 4; lower is better).

# %%
train, test = jaxlda.datasets.load("reuters").subset(range(0, 395, 4)).split(test_size=0.3, seed=0)
observed, held = test.halves(seed=0)
data_news = train.data(num_topics=10)
seeds = range(5)  # a chain for each: chains have nothing in common but the data
sweeps = {
    "cgs": {"num_warmup": 2000, "num_samples": 25, "thinning": 20, "trace_every": 10},
    "cvb0": {"num_warmup": 300, "num_samples": 1, "trace_every": 5},
    "vb": {"num_warmup": 60, "num_samples": 1, "trace_every": 1},
}
news = {name: jaxlda.run(0, name, data_news, num_chains=len(seeds), **options) for name, options in sweeps.items()}


def still_climbing(run):
    """How much the number that an algorithm raises has changed from the third quarter of its sweeps to the last."""
    traced = run.objective[:, ~np.isnan(run.objective[0])]
    third, last = (part.mean(1) for part in np.array_split(traced, 4, axis=1)[2:])
    return (last - third) / np.abs(last)


for name, run in news.items():
    print(f"{name:5s} from the third quarter to the last: {still_climbing(run).mean():+.2%}")

# %% [markdown]
# Now the topics of every algorithm and seed, and their perplexity:

# %%
gibbs_run = news["cgs"]
topics = {
    "CGS, 1 draw": lambda c: estimators.phi(gibbs_run.chain(c), data_news),
    "CGSₚ, 1 draw": lambda c: estimators.phi_p(gibbs_run.chain(c), data_news),
    "CGS, 25 draws": lambda c: estimators.phi(gibbs_run.counts(chain=c), data_news),
    "CGSₚ, 25 draws": lambda c: estimators.phi(gibbs_run.counts(soft=True, chain=c), data_news),
    "CVB0": lambda c: estimators.phi(news["cvb0"].counts(chain=c), data_news),
    "VB": lambda c: estimators.phi(news["vb"].counts(chain=c), data_news),
}


def perplexity(phi):
    found = evaluation.document_completion(phi, 0.1, observed, held, num_samples=10, num_chains=1)
    return found.theta_p.perplexity


def interval(values):
    """The mean over the seeds, and half of its 95 % interval (Student's t)."""
    values = np.asarray(values)
    return values.mean(), t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5


table = {name: np.array([perplexity(phi_of(c)) for c in seeds]) for name, phi_of in topics.items()}
for name, values in table.items():
    mean, half = interval(values)
    print(f"{name:15s} {mean:6.0f} ± {half:3.0f}   less CVB0: ", end="")
    mean, half = interval(values - table["CVB0"])
    print(f"{mean:+5.0f} ± {half:3.0f}")

figure, axes = plt.subplots(1, 2, figsize=(11, 3), layout="constrained")
for name, run in news.items():
    curves = run.trace["log_likelihood"]
    seen = np.flatnonzero(~np.isnan(curves[0]))
    for c in seeds:
        label = name.upper() if c == 0 else None
        axes[0].plot(seen + 1, curves[c, seen], color=colors[name.upper()], lw=0.8, label=label)
axes[0].set(xscale="log", xlabel="sweep", ylabel="log-likelihood per token (training)")
axes[0].legend()
for i, (name, values) in enumerate(table.items()):
    mean, half = interval(values)
    color = colors[name.partition(",")[0]]
    axes[1].errorbar(mean, i, xerr=half, fmt="o", color=color, capsize=4)
    axes[1].plot(values, [i] * len(values), "|", color=color, alpha=0.5)
axes[1].set(yticks=range(len(table)), yticklabels=list(table), xlabel="perplexity of the held half, 95 % intervals")
axes[1].invert_yaxis()
plt.show()

# %% [markdown]
# The intervals are about the seeds: another start of the same algorithm on the same documents. (Other documents would
# add doubt that all algorithms share.) What they say:
#
# * **One draw** of Gibbs sampling predicts worse than CVB0. Soft counts (CGSₚ) make up most of the difference, at the
#   cost of one more sweep.
# * **The average of 25 draws** predicts best, and better than CVB0. CGS and CGSₚ then hardly differ, as the theory
#   says.
# * **VB** is worst, as in the paper (other priors may mend a part of that). Look at the left picture: it fits the
#   *training* texts well, and still predicts new ones worse.
#
# Stop Gibbs sampling too early and the order is another one (exercise 4). So:
#
# | | answer | doubt about it | memory per token | use it when |
# |---|---|---|---|---|
# | **CGS** | right in the long run | several chains | one number | the default |
# | **CGSₚ** | the same samples, less noise | several chains | one number | always, with CGS |
# | **CVB0** | an approximation, often very good | none | $K$ numbers | one quick answer |
# | **VB** | an approximation | too sure | none | to compare with other programs |
# | **NUTS** | right in the long run | yes | – | small models that you have changed |
#
# ## Exercises
#
# **1.** The bound that VB raises never falls. Does the log joint of CGS never fall?
#
# <details><summary>Answer</summary>
#
# It goes up and down. CGS is not climbing a hill, it walks about in the posterior, and it must also visit less probable
# places as often as they deserve. A sampler that only went up would be an optimiser.
#
# </details>
#
# **2.** Ask for `estimators.phi_p` of a CVB0 result. What happens, and why is that right?
#
# <details><summary>Answer</summary>
#
# It is refused: there is no $z$ to soften, and the counts of CVB0 are soft already. Its plain φ and θ are what φᵖ and
# θᵖ are for CGS.
#
# </details>
#
# **3.** Why does nobody run NUTS on a corpus of a million tokens?
#
# <details><summary>Answer</summary>
#
# Every step needs the gradient with respect to all of θ and φ, over all tokens, and a draw takes many steps. And the
# posterior has $K!$ copies of every mode, one for each numbering of the topics, between which it cannot move.
#
# </details>
#
# **4.** Give Gibbs sampling 60 sweeps and one draw (`{"num_warmup": 55}`). What becomes of the order? Is the comparison
# fair?
#
# <details><summary>Answer</summary>
#
# CGS falls far behind CVB0: it has not arrived yet, and `still_climbing` says so. Sweeps of different algorithms do not
# cost the same, either (one of VB updates each document up to twenty times). Compare algorithms when they no longer
# climb, or after the same time; never after the same number of sweeps.
#
# </details>

# %% [markdown]
# ## What we have seen

# %%
assert error["CGS"] < 0.02 and error["NUTS"] < 0.03  # samplers arrive
assert 0.01 < error["VB"] < 0.3 and error["CVB0"] < 0.2  # approximations stay where they are
assert np.allclose(sd_nuts, exact_sd, atol=0.03)
assert (sd_vb < 0.95 * exact_sd).all()  # too sure of itself
bound = runs["vb"].objective[0]
bound = bound[~np.isnan(bound)]
assert (np.diff(bound) > -1e-3).all()  # exercise 1: VB only climbs
assert all(np.abs(still_climbing(run)).max() < 0.005 for run in news.values())
mean = {name: values.mean() for name, values in table.items()}
assert mean["CGSₚ, 25 draws"] < mean["CVB0"] < mean["CGS, 1 draw"] and mean["CGSₚ, 1 draw"] < mean["CGS, 1 draw"]
difference, half = interval(table["CGSₚ, 25 draws"] - table["CVB0"])
assert difference + half < 0  # on five seeds: more than chance
assert mean["VB"] > max(value for name, value in mean.items() if name != "VB")
try:
    estimators.phi_p(runs["cvb0"].chain(0), data)
    raise AssertionError("exercise 2: it should have been refused")
except ValueError as refusal:
    assert "transition probabilities" in str(refusal)
