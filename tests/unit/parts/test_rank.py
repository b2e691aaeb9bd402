from astrolabe.parts.rank import in_order


def test_passages_that_have_an_order_alone_score_one_over_their_rank_and_come_once() -> None:
    hits = in_order(["p3", "p1", "p3", "p2"], source="entity")

    assert [(hit.passage_id, hit.rank, hit.score, hit.source) for hit in hits] == [
        ("p3", 1, 1.0, "entity"),
        ("p1", 2, 1 / 2, "entity"),
        ("p2", 3, 1 / 3, "entity"),
    ]
    assert in_order([], source="entity") == []
