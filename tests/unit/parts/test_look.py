import json

from astrolabe.core.records import Hit, Step
from astrolabe.parts.look import Edge, Node, look, look_at, numbered


def hit(name: str, score: float) -> Hit:
    return Hit(passage_id=name, rank=1, score=score, source="dense")


def test_a_look_is_a_step_of_nodes_and_edges_that_can_be_drawn() -> None:
    step = look(
        "search.entities",
        [Node(id="Moon", kind="entity", score=0.1234567891, passages=("p1", "p2")), Node(id="c3", kind="community")],
        [Edge(source="Moon", target="c3", label="in")],
        mode="similarity",
        reason="nearest",
        asked="moon",
        hits=[hit("p1", 0.5)],
    )

    assert (step.stage, step.mode, step.reason, step.input) == ("search.entities", "similarity", "nearest", "moon")
    assert step.output == {
        "nodes": [
            {"id": "Moon", "kind": "entity", "label": "Moon", "score": 0.123457, "passages": ["p1", "p2"]},
            {"id": "c3", "kind": "community", "label": "c3", "score": None, "passages": []},
        ],
        "edges": [{"source": "Moon", "target": "c3", "label": "in"}],
    }
    assert step.hits == (hit("p1", 0.5),)


def test_a_label_stands_in_place_of_the_id() -> None:
    step = look("walk", [Node(id="community 3", kind="community", label="The sea")])

    assert json.loads(step.model_dump_json())["output"]["nodes"][0]["label"] == "The sea"


def test_a_search_for_passages_is_drawn_as_its_hits() -> None:
    step = look_at([hit("p2", 0.9), hit("p1", 0.1)], asked="moon", mode="dense")

    nodes = json.loads(step.model_dump_json())["output"]["nodes"]
    assert [(node["id"], node["kind"], node["score"]) for node in nodes] == [
        ("p2", "passage", 0.9),
        ("p1", "passage", 0.1),
    ]
    assert step.stage == "search.passages"


def test_steps_are_numbered_in_their_order_and_keep_the_rest() -> None:
    steps = numbered([look("a", []), look("b", [], asked="x")])

    assert [step.id for step in steps] == ["s1", "s2"]
    assert (steps[1].stage, steps[1].input) == ("b", "x")
    assert numbered([]) == ()


def test_a_step_survives_being_written_and_read() -> None:
    (step,) = numbered([look("a", [Node(id="北", kind="entity", score=1)], [Edge(source="北", target="北")])])

    assert Step.model_validate_json(step.model_dump_json()) == step
