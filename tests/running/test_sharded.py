"""Documents shared out between devices and processes: the same z as on one, and clear words where that cannot be."""

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.running.checking import same_arrays
from jaxlda.running.shards import cut_documents
from tests.tiers import mostly_slow, on_demand

ROOT = Path(__file__).parents[2]
SETTINGS = {"num_warmup": 3, "num_samples": 2, "thinning": 2, "num_chains": 2, "trace_every": 2, "gap_every": 3}

QUICK = {"num_warmup": 2, "trace_every": 0, "soft": False}
DEVICES = """
import sys
import jax
import numpy as np
import jaxlda

from tests.running.test_sharded import SETTINGS, corpus

results = {}
data = corpus().data(num_topics=6, alpha=np.linspace(0.1, 0.5, 6))
priors = np.linspace(0.1, 0.5, 30 * 6).reshape(30, 6)
phi = np.random.default_rng(0).dirichlet(np.ones(corpus().num_words), 6)
cases = {
    "pcgs": ("pcgs", data),
    "drawn": ("pcgs(theta='drawn')", corpus().data(alpha=priors)),
    "known": ("pcgs", corpus().data(num_topics=6, phi=phi)),
    "warp": ("warp(steps=2)", corpus().data(alpha=priors)),
    "warp known": ("warp", corpus().data(num_topics=6, phi=phi)),
    "vb": ("vb", data),
    "cvb0": ("cvb0", data),
    "cvb0 known": ("cvb0", corpus().data(num_topics=6, phi=phi)),
}
for case in sys.argv[2:]:
    kernel, given = cases[case]
    z = ("z", "theta_p") if kernel.startswith(("pcgs", "warp")) else ()
    keep = ("n_dk", "n_vk", "theta", "phi", "likeness", "log_likelihood", *z)
    settings = SETTINGS | {"keep": keep} | ({"num_warmup": 150} if case == "cvb0" else {})
    places = {"one": {"devices": jax.devices()[:1]}, "4": {"chain_method": "sharded"}}
    if case == "pcgs":
        places["2 x 2"] = {"devices": jax.make_mesh((2, 2), ("chain", "doc"))}
    for place, where in places.items():
        run = jaxlda.run(3, kernel, given, **settings, **where)
        kept = {name: getattr(run, name) for name in keep} | {f"trace {name}": x for name, x in run.trace.items()}
        kept |= {f"sums {i}": x for i, x in enumerate(run.counts(soft=bool(z), chain=1))}
        results |= {f"{case}|{place}|{name}": np.asarray(x) for name, x in kept.items()}
    if case == "pcgs":  # stopped on a mesh, continued on one device, and the other way round
        for first, last in (("2 x 2", "one"), ("one", "4")):
            blocks = jaxlda.run_blocks(3, kernel, given, block=1, **settings, **places[first])
            half = next(now for now in blocks if now.sweep == 5)
            whole = jaxlda.run(3, kernel, given, start=half, **settings, **places[last])
            results[f"went on|{first}|z"] = whole.z
np.savez(sys.argv[1], **results)
"""


def corpus():
    """Documents of very different lengths, one of them empty."""
    counts = np.random.default_rng(1).poisson(0.4, (30, 40)) * np.arange(30)[:, None] // 10
    return jaxlda.Corpus.from_counts(counts)


def environment(devices):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("XLA_", "JAXLDA_NATIVE"))}
    return clean | {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}", "PYTHONPATH": str(ROOT)}


def on_four_devices(path, *cases):
    subprocess.run([sys.executable, "-c", DEVICES, path, *cases], env=environment(4), cwd=ROOT, check=True, timeout=500)
    with np.load(path) as arrays:
        return dict(arrays)


def assert_alike(results, case, place):
    """Hard numbers are equal to the bit, floats but for their last digits."""
    for name in (key.split("|")[2] for key in results if key.startswith(f"{case}|{place}|")):
        one, other = (results[f"{case}|{where}|{name}"] for where in ("one", place))
        np.testing.assert_allclose(other, one, rtol=0 if one.dtype.kind == "i" else 2e-3, atol=2e-3, err_msg=name)
        if name == "z":
            np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_a_mesh_gives_the_same_as_one_device(tmp_path):
    results = on_four_devices(f"{tmp_path}/a.npz", "pcgs")
    assert results["pcgs|one|z"].any()
    assert_alike(results, "pcgs", "4")
    assert_alike(results, "pcgs", "2 x 2")
    for first in ("one", "2 x 2"):
        np.testing.assert_array_equal(results[f"went on|{first}|z"], results["pcgs|one|z"])


@pytest.mark.hours  # minutes of compiling; four of pcgs and warp are tried in the gate
def test_other_kernels_on_four_devices(tmp_path):
    alike = ("drawn", "known", "warp", "warp known", "vb", "cvb0 known")
    results = on_four_devices(f"{tmp_path}/a.npz", *alike, "cvb0")
    for case in alike:
        assert_alike(results, case, "4")
    # CVB0 sees what the other devices have changed a sweep later: another way to about as good a place.
    scores = [np.nanmax(results[f"cvb0|{place}|trace log_likelihood"], axis=1) for place in ("one", "4")]
    np.testing.assert_allclose(*scores, rtol=0.02)


def test_documents_are_cut_into_about_equally_many_tokens():
    n_d = np.random.default_rng(0).poisson(50, 200)
    bounds = cut_documents(n_d, 4)
    assert bounds[0] == 0 and bounds[-1] == 200 and len(bounds) == 5
    sizes = np.add.reduceat(n_d, bounds[:-1])
    assert sizes.max() - sizes.min() <= 2 * n_d.max()
    assert cut_documents(np.array([3]), 3).tolist() == [0, 1, 1, 1]
    assert cut_documents(np.zeros(0, int), 2).tolist() == [0, 0, 0]


@pytest.mark.hours
def test_one_device_is_a_mesh_too():
    data = corpus().data(num_topics=6)
    one, other = (
        jaxlda.run(0, "pcgs", data, keep=("z",), chain_method=method, **QUICK) for method in (None, "sharded")
    )
    np.testing.assert_array_equal(one.z, other.z)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(other)).chain(0).z, one.chain(0).z)


@pytest.mark.parametrize("method", ["parallel", "sharded"])
def test_tokens_that_are_not_written_out_give_the_same(method):
    whole, lean = (corpus().data(num_topics=6, whole=whole) for whole in (True, False))
    one = jaxlda.run(0, "pcgs", whole, keep=("z",), **QUICK)
    *_, last = jaxlda.run_blocks(0, "pcgs", lean, keep=("z",), chain_method=method, **QUICK)
    for other in (last, last.gathered(), pickle.loads(pickle.dumps(last))):
        np.testing.assert_array_equal(one.z, other.z)
        assert same_arrays(one.data, other.data)
        np.testing.assert_array_equal(one.chain(0).z, other.chain(0).z)
        theta = jaxlda.estimators.theta_p(other.chain(0), other.chain_data(0))
        np.testing.assert_array_equal(theta, jaxlda.estimators.theta_p(one.chain(0), one.data))
    assert last.gathered().counts().n_dk.shape == (30, 6)


@pytest.mark.parametrize("kernel", on_demand(["pcgs", "warp"], "pcgs"))
def test_four_devices_draw_what_one_does(kernel):
    program = """
import sys, jax, jaxlda, numpy as np
from tests.running.test_sharded import QUICK, corpus
data = corpus().data(num_topics=6)
one, four = (jaxlda.run(0, sys.argv[1], data, keep=("z",), devices=devices, chain_method=method, **QUICK)
             for devices, method in ((jax.devices()[:1], "parallel"), (None, "sharded")))
assert jax.device_count() == 4
np.testing.assert_array_equal(one.z, four.z)
np.testing.assert_array_equal(one.chain(0).counts.n_vk, four.chain(0).counts.n_vk)
"""
    subprocess.run([sys.executable, "-c", program, kernel], env=environment(4), cwd=ROOT, check=True, timeout=500)


@pytest.mark.parametrize("kernel", ["cgs", "warp(delayed=False)", jaxlda.kernels.learn_alpha(jaxlda.kernels.pcgs())])
def test_kernels_that_cannot_be_shared_out_say_so(kernel):
    with pytest.raises(
        ValueError, match=r"needs all documents in one place.* choose one of 'cvb0', 'pcgs', 'vb', 'warp'"
    ):
        jaxlda.run(0, kernel, corpus().data(num_topics=6), chain_method="sharded")


def test_what_else_cannot_be_shared_out():
    allowed = np.eye(100)[np.arange(30) * 3]
    with pytest.raises(ValueError, match="allow only a few topics each"):
        jaxlda.run(0, "pcgs", corpus().data(alpha=allowed), chain_method="sharded")
    with pytest.raises(ValueError, match="JAX's default kind"):
        jaxlda.run(jax.random.key(0, impl="rbg"), "pcgs", corpus().data(num_topics=6), chain_method="sharded")


@pytest.mark.parametrize(
    ("shape", "axes", "settings", "words"),
    [
        ((1, 1), ("doc", "chain"), {}, "must have the axes"),
        ((1, 1), ("chain", "doc"), {"chain_method": "parallel"}, "a mesh of devices shares documents"),
    ],
)
def test_meshes_that_make_no_sense(shape, axes, settings, words):
    mesh = jax.make_mesh(shape, axes, devices=jax.devices()[:1])
    with pytest.raises(ValueError, match=words):
        jaxlda.run(0, "pcgs", corpus().data(num_topics=6), devices=mesh, **settings)


# ------------------------------------------------------------------------------------------------ several processes

PROCESS = """
import sys
import jax
import numpy as np
import jaxlda

from tests.running.test_sharded import corpus

number, process, port, path, samples, kernel = sys.argv[1:]
if number != "1":
    address = f"127.0.0.1:{port}"
    jax.distributed.initialize(address, int(number), int(process), heartbeat_timeout_seconds=20)
model = jaxlda.LDA(
    6, kernel=kernel, num_warmup=3, num_samples=int(samples), thinning=2, num_chains=2, trace_every=2,
    chain_method=None if number != "1" else "sharded", keep=("z",) if samples == "2" else (), seed=0, progress=False,
    checkpoint=f"{path}/fit.jaxlda", checkpoint_every=0.5,
).fit(corpus())
np.savez(f"{path}/{process}.npz", z=model.run_.chain(0).z, phi=model.phi_, theta=model.theta_, sweep=model.run_.sweep)
new = model.transform(corpus().subset(range(3, 6)), num_warmup=2, num_samples=1, num_chains=1)
assert new.shape == (3, 6), new.shape
"""


def start(path, number, devices, samples, kernel):
    path.mkdir(exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(number), str(process), str(port), str(path), str(samples), kernel],
            env=environment(devices),
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for process in range(number)
    ]


def finished(processes, seconds=400):
    try:
        return [process.communicate(timeout=seconds)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()


def fitted(path, number, devices, samples=2, kernel="pcgs"):
    processes = start(path, number, devices, samples, kernel)
    errors = finished(processes)
    assert all(process.returncode == 0 for process in processes), "\n".join(errors)[-3000:]
    return [dict(np.load(path / f"{process}.npz")) for process in range(number)]


@pytest.mark.parametrize("kernel", mostly_slow(["pcgs", "warp"], hours=lambda kernel: kernel == "warp"))
def test_two_processes_give_the_same_as_one(tmp_path, kernel):
    (one,) = fitted(tmp_path / "one", 1, 4, kernel=kernel)
    for other in fitted(tmp_path / "two", 2, 2, kernel=kernel):
        np.testing.assert_array_equal(one["z"], other["z"])
        for name in ("phi", "theta"):
            np.testing.assert_allclose(one[name], other[name], atol=1e-5)


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("victim", mostly_slow([0, 1], hours=lambda victim: victim == 1))
def test_one_is_killed_and_another_number_goes_on(tmp_path, victim):
    processes = start(tmp_path, 2, 2, 100_000, "pcgs")
    deadline = time.monotonic() + 300
    while not (tmp_path / "fit.jaxlda").exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    processes[victim].send_signal(signal.SIGKILL)
    began = time.monotonic()
    errors = finished(processes, 60)
    assert time.monotonic() - began < 60
    assert processes[1 - victim].returncode not in (0, None)
    assert "another task died" in errors[1 - victim] or "another process of this run has ended" in errors[1 - victim]
    sweep = jaxlda.load(tmp_path / "fit.jaxlda").run_.sweep
    samples = max(sweep // 2 + 2, 3)
    (one,) = fitted(tmp_path, 1, 1, samples)
    assert one["sweep"] == 3 + 2 * samples > sweep
    (whole,) = fitted(tmp_path / "whole", 1, 4, samples)
    np.testing.assert_array_equal(one["z"], whole["z"])
