"""Chains that agree by construction, and chains that do not."""

import numpy as np
from scipy.special import ndtri

Draws = np.ndarray  # (Q, C, S)


def gaussian(rho: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Draws:
    """Stationary AR(1): every draw remembers a share rho of the one before."""
    draws = rng.normal(size=shape)
    for s in range(1, shape[-1]):
        draws[..., s] = rho * draws[..., s - 1] + np.sqrt(1 - rho**2) * draws[..., s]
    return draws


def sticky(rho: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Draws:
    """Stationary: a draw is the one before with probability rho, and otherwise a new one."""
    draws, stays = rng.normal(size=shape), rng.random(shape) < rho
    for s in range(1, shape[-1]):
        draws[..., s] = np.where(stays[..., s], draws[..., s - 1], draws[..., s])
    return draws


def counts(rho: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Draws:
    """Small numbers, Poisson with mean 2, of a hidden AR(1)."""
    cumulative = np.array([0.135, 0.406, 0.677, 0.857, 0.947, 0.983, 0.9955, 0.999])
    return np.digitize(gaussian(rho, shape, rng), ndtri(cumulative)).astype(float)


def events(rho: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Draws:
    """Zero or one, and one in a fifth of the draws; sticky."""
    return (sticky(rho, shape, rng) > ndtri(0.8)).astype(float)


AGREEING = {"gaussian": gaussian, "sticky": sticky, "counts": counts, "events": events}


def two_modes(rho: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Draws:
    """The second half of the chains is three standard deviations away."""
    draws = gaussian(rho, shape, rng)
    draws[:, shape[1] // 2 :] += 3
    return draws


def one_away(rho: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Draws:
    """One chain is three standard deviations away."""
    draws = gaussian(rho, shape, rng)
    draws[:, -1] += 3
    return draws


def one_frozen(rho: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Draws:
    """One chain stays where it begins, which is no unlikely place."""
    draws = gaussian(rho, shape, rng)
    draws[:, -1] = draws[:, -1, :1]
    return draws


def one_wider(rho: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Draws:
    """Half of the chains have three times the standard deviation."""
    draws = gaussian(rho, shape, rng)
    draws[:, shape[1] // 2 :] *= 3
    return draws


def all_drift(rho: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Draws:
    """All chains rise by three standard deviations from the first draw to the last."""
    return gaussian(rho, shape, rng) + np.linspace(0, 3, shape[-1])


DISAGREEING = {
    "two modes": two_modes,
    "one away": one_away,
    "one frozen": one_frozen,
    "one wider": one_wider,
    "all drift": all_drift,
}
