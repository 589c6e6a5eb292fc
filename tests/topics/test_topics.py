"""Tables of topics: maps that keep distances, ranks, partners in other chains, images."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon, pdist

import jaxlda
from jaxlda import topics
from jaxlda.topics import maps

VOCAB = ["the", "cat", "dog", "never"]


def random_topics(K=6, V=40, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(V, 0.2), K)


def places(table):
    return table[["x", "y"]].to_numpy()


class TestMap:
    def test_distances_are_kept_where_a_plane_has_room(self):
        phi = random_topics(K=3)
        expected = [jensenshannon(phi[a], phi[b], base=2) for a, b in ((0, 1), (0, 2), (1, 2))]
        np.testing.assert_allclose(pdist(places(topics.topic_map(phi, np.ones(3)))), expected, atol=0.01)

    def test_scaling_lowers_the_stress_of_its_start(self):
        phi = random_topics(K=12)
        d = jaxlda.alignment.distance(phi, phi)[np.triu_indices(12, 1)]
        ours = np.square(pdist(places(topics.topic_map(phi, np.ones(12)))) - d).sum()
        start = np.square(pdist(maps._classical(jaxlda.alignment.distance(phi, phi))) - d).sum()
        assert ours < 0.9 * start

    def test_it_does_not_jump_when_topics_change_a_little(self):
        phi = random_topics(K=12)
        first = places(topics.topic_map(phi, np.ones(12)))
        changed = 0.98 * phi + 0.02 * random_topics(K=12, seed=1)
        second = places(topics.topic_map(changed, np.ones(12), start=first))
        assert np.abs(second - first).max() < 0.1
        turned = first @ np.array([[0.0, 1.0], [-1.0, 0.0]])  # as good a map, which must stay as it is
        assert np.abs(places(topics.topic_map(phi, np.ones(12), start=turned)) - turned).max() < 0.05

    @pytest.mark.parametrize("K", [1, 2])
    def test_few_topics(self, K):
        table = topics.topic_map(random_topics(K), np.arange(1, K + 1), names=["a", "b"][:K])
        assert np.isfinite(places(table)).all() and table.share.sum() == pytest.approx(1)
        assert table.name.tolist() == ["a", "b"][:K]

    def test_equal_topics_lie_together(self):
        phi = np.tile(random_topics(1), (3, 1))
        table = topics.topic_map(phi, np.zeros(3))
        assert np.abs(places(table)).max() < 0.05 and table.share.tolist() == [0, 0, 0]

    def test_a_start_of_other_topics(self):
        with pytest.raises(ValueError, match=r"start has shape \(2, 2\); expected a place for each of 3 topics"):
            topics.topic_map(random_topics(3), np.ones(3), start=np.zeros((2, 2)))


class TestDocumentMap:
    PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])

    def test_documents_lie_between_their_topics_and_near_the_main_one(self):
        theta = np.array([[0.98, 0.01, 0.01], [0.2, 0.7, 0.1], [1 / 3, 1 / 3, 1 / 3]])
        table = topics.document_map(theta, self.PLACES)
        distance = np.linalg.norm(places(table)[:, None] - self.PLACES, axis=-1)
        assert distance[:2].argmin(axis=1).tolist() == table.topic[:2].tolist() == [0, 1]
        assert distance[0, 0] < 0.001
        np.testing.assert_allclose(places(table)[2], self.PLACES.mean(axis=0))
        assert table.share.tolist() == pytest.approx([0.98, 0.7, 1 / 3])

    def test_empty_documents_have_no_place(self):
        table = topics.document_map(np.eye(3), self.PLACES, np.array([4, 0, 2]))
        assert table.document.tolist() == table.topic.tolist() == [0, 2]
        assert len(topics.document_map(np.eye(3), self.PLACES, np.zeros(3))) == 0

    def test_places_of_other_topics(self):
        with pytest.raises(ValueError, match=r"places have shape \(3, 2\); expected one for each of 4 topics"):
            topics.document_map(np.eye(4), self.PLACES)


class TestCondensed:
    def test_mass_is_kept_and_distances_lose_no_more_than_what_was_lumped(self):
        frequency = 1 / np.arange(1, 3001)
        phi = np.random.default_rng(0).dirichlet(300 * frequency, 8)
        less = topics.condensed(phi, frequency, budget=64 * 600)
        assert less.shape == (8, 600)
        np.testing.assert_allclose(less.sum(axis=1), 1)
        whole, part = (jaxlda.alignment.distance(p, p) ** 2 for p in (phi, less))
        lumped = less[:, -1]
        assert (part <= whole + 1e-6).all()
        assert (whole - part <= (lumped[:, None] + lumped) / 2 + 1e-6).all()

    def test_rare_words_are_lumped(self):
        frequency = np.ones(600)
        frequency[7] = 0
        phi = np.zeros((2, 600))
        phi[:, 7], phi[:, 0] = 0.25, 0.75
        less = topics.condensed(np.stack([phi, phi]), frequency, budget=1)
        assert less.shape == (2, 2, 500) and less[0, 0, -1] == 0.25 and less[0, 0, 0] == 0.75


class TestWords:
    phi_k, frequency = np.array([0.5, 0.3, 0.15, 0.05]), np.array([8, 1, 1, 0])

    def test_relevance_written_out(self):
        p = np.array([0.8, 0.1, 0.1])
        expected = 0.6 * np.log(self.phi_k[:3]) + 0.4 * np.log(self.phi_k[:3] / p)
        ours = topics.relevance(self.phi_k, self.frequency, 0.6)
        np.testing.assert_allclose(ours[:3], expected)
        assert ours[3] == -np.inf

    def test_the_slider_moves_from_probability_to_lift(self):
        def words(weight):
            return topics.word_table(self.phi_k, VOCAB, self.frequency, weight).word.tolist()

        assert words(1) == ["the", "cat", "dog"] and words(0) == ["cat", "dog", "the"]
        table = topics.word_table(self.phi_k, VOCAB, self.frequency, 0.5, n=1)
        assert table[["word", "probability", "lift"]].values.tolist() == [["cat", 0.3, pytest.approx(3.0)]]

    @pytest.mark.parametrize("weight", [-0.1, 1.1, np.nan])
    def test_weights_beyond(self, weight):
        with pytest.raises(ValueError, match="must be from 0 to 1"):
            topics.relevance(self.phi_k, self.frequency, weight)

    def test_words_that_two_estimates_rank_differently(self):
        hard = np.array([0.4, 0.2, 0.1, 0.1, 0.1, 0.1])
        soft = np.array([0.4, 0.2, 0.05, 0.1, 0.05, 0.2001])
        table = topics.rank_changes(hard, soft, list("abcdef"))
        # c, d, e and f share the ranks 3 to 6 under hard counts
        assert table.values.tolist() == [["f", 4.5, 2], ["b", 2, 3], ["c", 4.5, 5.5], ["e", 4.5, 5.5], ["d", 4.5, 4]]
        assert topics.rank_changes(hard, soft, list("abcdef"), within=2, n=9).word.tolist() == ["f", "b"]
        assert len(topics.rank_changes(hard, hard, list("abcdef"))) == 0


class TestStability:
    def test_topics_are_found_in_chains_of_another_order(self):
        phi = random_topics(4)
        order = np.array([2, 0, 3, 1])
        table = topics.stability_table(np.stack([phi[order], phi, random_topics(4, seed=9)]), reference=1)
        first = table[table.chain == 0]
        assert order[first.partner].tolist() == [0, 1, 2, 3] and first.similarity.min() > 0.999
        assert table.chain.unique().tolist() == [0, 2] and table[table.chain == 2].similarity.max() < 0.9

    def test_partners_are_those_of_align(self):
        phi = random_topics(8)
        near, far = (share * phi + (1 - share) * random_topics(8, seed=1) for share in (0.7, 0.3))
        chains = np.stack([phi, near, far])
        table = topics.stability_table(chains, reference=0)
        for chain, part in table.groupby("chain"):
            found = jaxlda.alignment.align(phi, chains[chain])
            assert part.partner.tolist() == found.permutation.tolist()
            np.testing.assert_allclose(part.similarity, np.nan_to_num(1 - found.distances**2), atol=1e-12)
        assert (table.partner < 0).any() and (table.partner >= 0).any()

    def test_tied_topics_are_compared_by_number(self):
        phi = random_topics(3)
        table = topics.stability_table(np.stack([phi, phi[[1, 0, 2]]]), 0, tied=True, names=["x", "y", "z"])
        assert table.partner.tolist() == [0, 1, 2] and table.name.tolist() == ["x", "y", "z"]
        expected = 1 - jensenshannon(phi[0], phi[1], base=2) ** 2
        np.testing.assert_allclose(table.similarity, [expected, expected, 1])

    def test_one_chain_has_no_partners(self):
        assert len(topics.stability_table(random_topics(3)[None], 0)) == 0


class TestDocumentsAndImages:
    def test_empty_documents_represent_nothing(self):
        theta, lengths = np.array([0.5, 0.9, 0.7]), np.array([3, 0, 9])
        table = topics.top_documents(theta, lengths, titles=["a", "b", "<c>"])
        assert table.values.tolist() == [[2, "<c>", 0.7, 9], [0, "a", 0.5, 3]]

    def test_pixels_are_known_by_their_words(self):
        corpus, _ = jaxlda.datasets.bars(num_docs=3, size=4)
        assert topics.image_side(corpus.vocab) == 4
        assert topics.image_side(corpus.vocab[::-1]) is None and topics.image_side(corpus.vocab[:9]) is None


class TestSimilarity:
    def test_against_distances(self):
        phi, other = random_topics(5), random_topics(5, seed=3)
        table = topics.similarity_table(phi, other)
        assert sorted(table.columns) == list(range(5))
        d = jaxlda.alignment.distance(phi, other)
        np.testing.assert_allclose(table[list(range(5))], 1 - d**2, atol=1e-9)

    def test_topics_without_a_partner_fill_the_places_left(self):
        block = np.kron(np.eye(5), np.full(2, 1 / 2))
        table = topics.similarity_table(block[[0, 1, 2]], block[[3, 2, 4]])
        assert table.columns.tolist() == [0, 2, 1] and table.loc[2, 1] == 1 and table.to_numpy().sum() == 1

    def test_labels_are_their_own_partners(self):
        phi = random_topics(3)
        assert topics.similarity_table(phi, phi[::-1], tied=True).columns.tolist() == [0, 1, 2]
