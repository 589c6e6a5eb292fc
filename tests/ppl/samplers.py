"""NumPyro's driver with the settings of the tests."""

import jax
import numpy as np
from numpyro.infer import MCMC

from jaxlda import ppl

__all__ = ["gibbs", "mcmc", "z_of"]


def mcmc(kernel, num_samples, num_chains=2, num_warmup=10, chain_method="vectorized", **options):
    return MCMC(
        kernel,
        num_warmup=num_warmup,
        num_samples=num_samples,
        num_chains=num_chains,
        chain_method=chain_method,
        **({"progress_bar": False} | options),
    )


def gibbs(data, num_samples=20, extra_fields=("z",), seed=0, **options):
    """Run CollapsedGibbs; its own arguments are those MCMC does not know."""
    own = {name: options.pop(name) for name in ("num_topics", "kernel", "sites", "alpha", "beta") if name in options}
    sampler = mcmc(ppl.CollapsedGibbs(**own), num_samples, **options)
    sampler.run(jax.random.key(seed), data, extra_fields=extra_fields)
    return sampler


def z_of(sampler):
    return np.asarray(sampler.get_extra_fields(group_by_chain=True)["z"])
