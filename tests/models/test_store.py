"""Models and runs in files: nothing is lost, what goes on is what would have been, and forgeries are refused."""

import dataclasses

import jax
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import jaxlda
from jaxlda import LDA, Corpus
from jaxlda.kernels import KERNELS, cgs
from jaxlda.models import files
from jaxlda.models.parameters import Parameter
from jaxlda.running import archive, store
from jaxlda.running.results import Part, Run
from tests.models.storing import CORPUS, LEARNER, TOY, assert_same, assert_same_run, lda, quick
from tests.models.toy import toy
from tests.tiers import on_demand

pytestmark = pytest.mark.usefixtures("named")


class TestSave:
    @pytest.mark.parametrize("kernel", on_demand(["cgs", "cvb0", LEARNER], "cgs"), ids=["cgs", "cvb0", "learned"])
    def test_goes_on_as_if_never_saved(self, path, kernel):
        whole = lda(kernel=kernel, num_samples=5).fit(CORPUS)
        model = lda(kernel=kernel, num_samples=2).fit(CORPUS)
        model.save(path)
        copy = jaxlda.load(path)
        assert_same(copy, model)
        assert copy.run_.algorithm == model.run_.algorithm
        assert_same(copy.resume(6), whole)
        assert_same(model.resume(6), whole)
        np.testing.assert_array_equal(copy.transform(CORPUS, num_samples=1), whole.transform(CORPUS, num_samples=1))

    def test_a_fit_that_was_interrupted(self, path, interrupted):
        whole = lda(num_samples=2).fit(CORPUS)
        interrupted(3)
        with pytest.warns(RuntimeWarning, match="Stopped at sweep 3 of 8"):
            model = lda(num_samples=2).fit(CORPUS)
        model.save(path)
        copy = jaxlda.load(path)
        assert copy.run_.sweep == 3 and copy.run_.num_draws == 0
        assert_same(copy, model)
        assert_same(copy.resume(), whole)

    def test_parameters(self, path):
        options = {
            "kernel": toy(),
            "alpha": np.array([0.1, 0.2, 0.3]),
            "beta": [0.1] * 9,
            "num_warmup": np.int64(2),
            "seed": 2**32 - 1,
            "estimator": "cgs",
            "chain_method": "sequential",
            "checkpoint_every": 5,
        }
        quick(**options).fit(CORPUS).save(path)
        params = jaxlda.load(path).get_params()
        assert params.pop("kernel") == options.pop("kernel")
        for name, value in ({k: v for k, v in TOY.items() if k != "kernel"} | options).items():
            np.testing.assert_array_equal(params.pop(name), value, err_msg=name)
        assert params == {name: value for name, value in LDA().get_params().items() if name in params}

    def test_words_in_any_script(self, path):
        words = ["Käse", "奶酪", "ˈtʃiːz", "جبن", "🧀", "a" * 500, " ", "'", "\u202e"]
        quick().fit(Corpus.from_counts(CORPUS.counts, words)).save(path)
        copy = jaxlda.load(path)
        assert copy.vocab_.tolist() == words and copy.vocab_.dtype.kind == "U"
        assert {word for topic in copy.top_words(9) for word in topic} == set(words)

    def test_columns_of_a_table(self, path):
        table = pd.DataFrame(CORPUS.counts.toarray(), columns=CORPUS.vocab)
        model = quick().fit(table)
        model.save(path)
        copy = jaxlda.load(path)
        assert copy.feature_names_in_.dtype == object and copy.feature_names_in_.tolist() == CORPUS.vocab.tolist()
        np.testing.assert_array_equal(copy.transform(table), model.transform(table))
        with pytest.raises(ValueError, match="feature names should match"):
            copy.transform(table.rename(columns={"r0c0": "other"}))

    def test_the_same_model_gives_the_same_file(self, path, tmp_path):
        for name in ("a.jaxlda", "b.jaxlda"):
            quick().fit(CORPUS).save(tmp_path / name)
        assert path.read_bytes() == (tmp_path / "b.jaxlda").read_bytes()

    def test_has_nothing_of_this_machine_in_it(self, path):
        quick(checkpoint=path).fit(CORPUS).save(path.with_name("b"))
        for file in (path, path.with_name("b")):
            assert str(path.parent).encode() not in file.read_bytes()
        assert jaxlda.load(path).checkpoint == str(path)
        assert jaxlda.load(path.with_name("b")).checkpoint is None

    def test_what_cannot_be_saved_is_told(self, path, monkeypatch):
        with pytest.raises(NotFittedError):
            LDA().save(path)
        monkeypatch.delitem(KERNELS, "toy")
        model = quick(kernel=toy()).fit(CORPUS)
        with pytest.raises(ValueError, match="the algorithm 'toy' is one of your own and cannot be saved by name"):
            model.save(path)
        with pytest.raises(FileNotFoundError, match="there is no folder"):
            quick(kernel="cgs").fit(CORPUS).save(path / "b")
        assert not path.exists()

    def test_loading_what_is_not_there(self, path):
        with pytest.raises(FileNotFoundError, match="there is no file"):
            jaxlda.load(path)


class TestSubclasses:
    def test_have_their_own_names(self, path):
        class Titled(LDA):
            _found_names = (*LDA._found_names, "titles_", "weights_")
            parameters = (*LDA.parameters, Parameter("colour", "red", "Of nothing.", harmless=True))

            def fit(self, X, y=None):
                self.titles_, self.weights_ = np.array(["ä", "b"]), np.arange(3.0)
                return super().fit(X)

        model = Titled(**TOY, colour="blue", checkpoint=path).fit(CORPUS)
        for saved in (path, path.with_name("b")):
            model.save(saved)
            copy = jaxlda.load(saved)
            assert type(copy) is Titled and copy.colour == "blue"
            assert copy.titles_.tolist() == ["ä", "b"] and copy.weights_.tolist() == [0, 1, 2]
            assert_same(copy, model)
        copy.set_params(colour="green").resume(5)
        with pytest.raises(ValueError, match="it is a Titled, not a LDA"):
            quick(checkpoint=path).fit(CORPUS)
        del files.MODELS["Titled"]
        with pytest.raises(ValueError, match=r"it holds a Titled, which is not known here; import what defines it"):
            jaxlda.load(path)

    def test_of_the_same_name_are_refused(self, path):
        model = type("LDA", (LDA,), {})(**TOY).fit(CORPUS)
        with pytest.raises(ValueError, match="another model class of the name LDA"):
            model.save(path)
        assert files.MODELS["LDA"] is LDA


class TestRuns:
    @pytest.mark.slow
    @pytest.mark.parametrize("stop_at", on_demand([0, 5, 8], 5))
    def test_go_on(self, path, stop_at):
        data, settings = CORPUS.data(num_topics=6), {"num_warmup": 4, "num_samples": 2, "thinning": 2, "num_chains": 3}
        settings |= {"keep": ("z", "n_k"), "gap_every": 3, "chain_method": "vectorized"}
        key = jax.random.key(3, impl="rbg" if stop_at == 5 else None)
        whole = jaxlda.run(key, cgs(), data, **settings)
        blocks = jaxlda.run_blocks(key, cgs(), data, block=1, **settings)
        partial = next(part for part in blocks if part.sweep == stop_at)
        blocks.close()
        store.save(partial, path)
        copy = jaxlda.load(path)
        assert isinstance(copy, Run)
        assert_same_run(copy, partial)
        assert_same_run(jaxlda.run(key, cgs(), data, **settings, start=copy), whole)

    def test_with_topics_given(self, path):
        data = CORPUS.data(phi=np.full((2, 9), 1 / 9), alpha=np.ones((20, 2)))
        result = jaxlda.run(jax.random.key(0), toy(), data, num_warmup=1, trace_every=0)
        store.save(result, path)
        copy = jaxlda.load(path)
        assert_same_run(copy, result)
        np.testing.assert_array_equal(copy.data.phi, data.phi)

    def test_nothing_was_forgotten(self):
        """Whoever adds a field must teach ``store`` about it, and this test. The layout follows from the data."""
        fields = {field.name for field in dataclasses.fields(Run)} - {"layout"}
        assert fields == {"algorithm", "data", "key", "schedule", "parts", "sweep", "trace", "kept", "soft", "room"}
        assert Part._fields == ("group", "state", "hard", "soft", "draws")


def changed(name, value):
    """A forgery: one number of an array is another."""
    return lambda header, arrays: arrays[name].reshape(-1).__setitem__(0, value)


class TestForgery:
    @pytest.fixture
    def forged(self, path):
        quick(keep=("phi",)).fit(CORPUS).save(path)

        def forge(change):
            header, arrays, _ = archive.read(path)
            change(header, arrays)
            archive.write(path, header, arrays)
            return path

        return forge

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda header, arrays: header.pop("run"), "it has no 'run'"),
            (lambda header, arrays: header.pop("params"), "it has no 'params'"),
            (lambda header, arrays: header["run"].pop("sweep"), "it has no 'sweep'"),
            (lambda header, arrays: header.update(model="os.system"), "it holds a os.system, which is not known"),
            (lambda header, arrays: header["run"].update(algorithm="x"), "there is no kernel 'x'"),
            (lambda header, arrays: header["params"].update(evil=1), "unexpected keyword argument 'evil'"),
            (lambda header, arrays: header["params"].update(alpha={"x": 1}), "nothing is known by the name of x"),
            (lambda header, arrays: arrays.pop("data.tokens.w"), "it has no 'data.tokens.w'"),
            (lambda header, arrays: arrays.pop("chain1.state.n_dk"), "it has no 'chain1.state.n_dk'"),
            (lambda header, arrays: arrays.update({"chain0.state.n_k": np.zeros(3)}), "n_k is float64 of shape .3,."),
            (lambda header, arrays: header["run"].update(key="md5"), "cannot be loaded"),
            (lambda header, arrays: arrays["data.tokens.w"].__setitem__(0, 9), "name unknown words: it has 9"),
            (lambda header, arrays: arrays["data.tokens.w"].__setitem__(0, -1), "name unknown words"),
            (lambda header, arrays: arrays["data.tokens.d"].__setitem__(-1, 20), "name unknown documents"),
            (
                lambda header, arrays: arrays["data.tokens.d"].__setitem__(0, 3),
                "not as long as it says, or not in order",
            ),
            (
                lambda header, arrays: arrays["data.tokens.m"].__setitem__(0, 2),
                "not as long as it says, or not in order",
            ),
            (lambda header, arrays: arrays.update({"data.tokens.d": np.zeros(3, int)}), "do not have a word and a doc"),
            (changed("chain0.state.n_dk", np.nan), "chain 0 has numbers that are not finite"),
            (changed("chain1.state.n_vk", -1), "has counts that are negative"),
            (changed("chain1.state.n_k", 99), "counts that do not add up to the tokens"),
            (changed("chain0.hard.n_vk", np.inf), "chain 0, hard, has counts that are negative or not finite"),
            (changed("chain0.hard.n_dk", 99), "chain 0, hard, has counts that do not add up to the tokens"),
            (
                lambda header, arrays: header["found"]["vocab_"].update(texts=["x" * 10**5] * 9000, dtype="str"),
                "its texts need 3.6 GB of memory, more than the 1.1 allowed",
            ),
            (changed("data.priors.alpha", 0), "alpha"),
            (changed("data.priors.beta", np.nan), "beta"),
            (changed("kept.phi", np.nan), "its phi of a draw has NaN or negative numbers"),
            (lambda header, arrays: arrays.update({"kept.phi": arrays["kept.phi"][:0]}), "keeps phi of 0 draws"),
            (lambda header, arrays: arrays.update({"kept.phi": arrays["kept.phi"][..., 0]}), "phi of a draw has shape"),
            (
                lambda header, arrays: arrays.update({"trace.moved": arrays["trace.moved"][:, 1:]}),
                r"its trace of moved is float64 of shape \(2, 6\), not \(2, 7\)",
            ),
            (
                lambda header, arrays: (header["run"]["trace"].remove("gap"), arrays.pop("trace.gap")),
                "it has no trace of gap",
            ),
            (lambda header, arrays: header["run"].update(sweep=6), "it has 1 draws, but 0 sweeps to draw at"),
            (lambda header, arrays: header["run"].update(sweep=8), "at sweep 8 of 7"),
            (lambda header, arrays: header["run"].update(draws=2), "it has 2 draws, but 1 sweeps to draw at"),
            (lambda header, arrays: header["run"].update(num_chains=0), "it has 0 chains"),
            (lambda header, arrays: header["run"].update(num_chains=True), "its num_chains is True"),
            (lambda header, arrays: header["run"].update(sweep="7"), "its sweep is '7'"),
            (lambda header, arrays: header["run"]["schedule"].update(thinning=0), "there is no such schedule"),
            (lambda header, arrays: header["run"]["schedule"].update(num_samples=2**40), "there is no such schedule"),
            (lambda header, arrays: header["run"]["schedule"].update(num_warmup=2.0), "its schedule is"),
            (lambda header, arrays: header["run"].update(soft_counts=True), "disagree on whether it has soft counts"),
            (lambda header, arrays: header["run"].update(kept=["psi"]), "it keeps 'psi', which is not known here"),
            (lambda header, arrays: header["run"]["kept"].pop(), "disagree on what was traced and kept"),
            (lambda header, arrays: header["run"]["trace"].pop(), "disagree on what was traced and kept"),
            (lambda header, arrays: header["run"]["trace"].append("x"), "disagree on what was traced and kept"),
            (lambda header, arrays: header["run"].update(algorithm="cgs(speed=3)"), "has no option"),
            (
                lambda header, arrays: arrays.update(key=np.zeros((2, 2), np.uint32)),
                r"its key is 2 key\(s\) in uint32, not one",
            ),
            (lambda header, arrays: arrays.update(key=np.zeros(2, np.float32)), "cannot be loaded"),
            (lambda header, arrays: header["found"].update(n_features_in_=8), "n_features_in_ is 8; there are 9 words"),
            (lambda header, arrays: header["found"]["vocab_"]["texts"].pop(), "vocab_"),
            (lambda header, arrays: header["found"].update(doc_titles_={"tuple": ["a"]}), "doc_titles_ are not"),
            (lambda header, arrays: header["found"].update(seed_=-1), "seed must not be negative"),
            (lambda header, arrays: header["params"].update(keep="psi"), "keep must be 'auto' or names of"),
            (lambda header, arrays: header["params"].update(trace_every=-1), "trace_every must"),
            (lambda header, arrays: header["params"].update(chain_method="x"), "chain_method must be one of"),
        ],
    )
    def test_is_told(self, forged, change, message):
        with pytest.raises(ValueError, match=rf"a\.jaxlda' cannot be loaded: .*{message}|{message}"):
            jaxlda.load(forged(change))

    def test_attributes_that_no_model_has_are_not_set(self, forged):
        model = jaxlda.load(forged(lambda header, arrays: header["found"].update(fit=1, doc_titles_=None)))
        assert callable(model.fit) and model.doc_titles_ is None


class TestChangedParameters:
    @pytest.fixture
    def model(self):
        return quick(alpha=np.array([0.1, 0.2, 0.3]), seed=1).fit(CORPUS)

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"num_topics": 4}, "num_topics was 3 and is 4"),
            ({"seed": 2}, "seed was 1 and is 2"),
            ({"kernel": "cgs"}, "kernel was 'toy' and is 'cgs'"),
            ({"alpha": 0.1}, r"alpha was array\(.* and is 0.1"),
            ({"beta": 0.1, "thinning": 7}, "beta was 0.01 and is 0.1, thinning was 5 and is 7"),
            ({"num_samples": 9}, "num_samples was 1 and is 9.*give more_sweeps"),
        ],
    )
    def test_are_refused(self, model, path, changed, message):
        model.set_params(**changed)
        with pytest.raises(ValueError, match=f"the parameters have changed since the chains were started: .*{message}"):
            model.resume(5)
        model.save(path)
        copy = jaxlda.load(path)
        assert {name: copy.get_params()[name] for name in changed} == changed
        with pytest.raises(ValueError, match=message):
            copy.resume(5)

    def test_in_place_too(self, model):
        model.alpha[0] = 5
        with pytest.raises(ValueError, match="alpha was"):
            model.resume(5)

    def test_the_same_in_other_words_is_the_same(self, model):
        model.set_params(kernel=toy(), alpha=[0.1, 0.2, 0.3], seed=np.int64(1))
        assert model.resume(5).run_.num_draws == 2

    def test_what_the_chains_do_not_depend_on_may_change(self):
        model = lda().fit(CORPUS)
        hard = model.estimates("phi")
        model.set_params(estimator="cgs", chain_method="vectorized", trace_every=1, progress=False).resume()
        np.testing.assert_array_equal(model.phi_, hard)
