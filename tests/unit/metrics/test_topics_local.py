from astrolabe.metrics.topics_local import TopicsLocal
from tests.scoring_kit import ScoringKit, answered, question

EXPECTED = ["copy mechanism for rare tokens", "limited training data", "syntax errors in long programs"]
UNSUPPORTED = ["quantum annealing hardware"]


async def test_an_answer_that_says_two_of_three_topics_has_two_thirds_recall() -> None:
    answer = answered(
        "A copy mechanism helps with rare tokens. Training data is limited. The weather was fine in Oslo."
    )

    score = await TopicsLocal().score(question(EXPECTED, UNSUPPORTED), answer, ScoringKit())

    assert score.parts["t_rec"] == 2 / 3
    assert score.parts["t_prec"] == 2 / 3
    assert (score.parts["h_topic"], score.parts["h_resp"]) == (0.0, 0.0)
    assert score.detail["covered"] == ["A0", "A1"]
    assert score.detail["matcher"] == "words"


async def test_an_unsupported_topic_that_is_said_is_a_hit() -> None:
    score = await TopicsLocal().score(
        question(EXPECTED, UNSUPPORTED), answered("Quantum annealing hardware was used."), ScoringKit()
    )

    assert (score.parts["h_topic"], score.parts["h_resp"]) == (1.0, 1.0)
    assert score.value == 0.0


async def test_saying_a_thing_twice_changes_nothing() -> None:
    once = answered("A copy mechanism helps with rare tokens. The weather was fine in Oslo.")
    twice = answered(f"{once.text} {once.text}")

    scores = [await TopicsLocal().score(question(EXPECTED), answer, ScoringKit()) for answer in (once, twice)]

    assert scores[0].parts == scores[1].parts


async def test_one_more_statement_that_matches_nothing_lowers_precision_alone() -> None:
    before = answered("A copy mechanism helps with rare tokens.")
    after = answered(f"{before.text} The weather was fine in Oslo.")

    first, second = [await TopicsLocal().score(question(EXPECTED), answer, ScoringKit()) for answer in (before, after)]

    assert (first.parts["t_prec"], second.parts["t_prec"]) == (1.0, 0.5)
    assert first.parts["t_rec"] == second.parts["t_rec"]


async def test_a_short_item_that_names_a_topic_counts_although_it_is_no_claim() -> None:
    score = await TopicsLocal().score(question(["beam search"]), answered("- Beam search"), ScoringKit())

    assert score.value == 1.0


async def test_the_detail_shows_the_nearest_statement_to_a_missed_topic() -> None:
    score = await TopicsLocal().score(question(EXPECTED), answered("Errors happen in programs."), ScoringKit())

    nearest = score.detail["nearest"]
    assert isinstance(nearest, list)
    assert {"topic", "probability", "stretch"} == set(nearest[0]) if isinstance(nearest[0], dict) else False
    assert len(nearest) == 3


async def test_an_answer_without_any_statement_holds_nothing() -> None:
    score = await TopicsLocal().score(question(EXPECTED), answered("---"), ScoringKit())

    assert score.value == 0.0
    assert score.detail["found"] == []
