"""The report page in a real browser: it opens alone, shows hostile texts as texts, and can be worked with."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pydantic import JsonValue

from astrolabe.core.records import Answer, Hit, Passage, Question, Scope, Score, Step, Topic, Usage
from astrolabe.parts.look import Node, look
from astrolabe.report import Material, all_banners, all_tables, write_report
from astrolabe.report.page import page_content
from tests.unit.report.made import filled, made_material, mixed_material

PATIENCE_MS = 20_000
expect.set_options(timeout=PATIENCE_MS)

HOSTILE = [
    "</script><script>window.hit=1</script>",
    '<img src=x onerror="window.hit=1">',
    "<!-- <b>bold?</b> & \"quotes\" 'single'",
    "[link](javascript:window.hit=1)",
    "javascript:window.hit=1",
    "{{ 7 * 7 }} {% raw %} \u2028 \u2029 \\u003c ${window.hit=1}",
]


@dataclass(slots=True)
class Opened:
    """A page with what it said and asked for."""

    page: Page
    said: list[str]
    asked: list[str]


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    contexts: list[Callable[[], None]] = []

    def opened(material: Material, *, width: int = 1280, dark: bool = False, scripts: bool = True) -> Opened:
        (path,) = write_report(material, tmp_path)
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        contexts.append(context.close)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        result = Opened(page, [], [])
        page.on("console", lambda message: result.said.append(message.text))
        page.on("pageerror", lambda error: result.said.append(str(error)))
        page.on("dialog", lambda dialog: result.said.append(dialog.message))
        page.on("request", lambda request: result.asked.append(request.url))
        page.goto(path.as_uri())
        return result

    yield opened
    for close in contexts:
        close()


def test_the_page_opens_without_an_error_and_asks_for_nothing(show: Callable[..., Opened]) -> None:
    opened = show(made_material())

    expect(opened.page.locator("h1")).to_have_text(made_material().title)
    expect(opened.page.locator("table.main tbody tr")).to_have_count(5)
    expect(opened.page.locator("#chart-causes svg")).to_be_visible()
    expect(opened.page.locator("#chart-precision-recall svg")).to_be_visible()
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith("file:")] == []
    assert len(opened.asked) == 1


def test_what_the_page_holds_equals_the_records(show: Callable[..., Opened]) -> None:
    material = hostile_material()

    content = show(material).page.locator("#content").text_content()

    assert json.loads(content or "") == page_content(material)


def hostile_material() -> Material:
    """Hostile texts in every place that a text can come from."""
    questions = [
        Question(
            id=text,
            text=f"Q {text}",
            topics=(Topic(id="A1", text=text), Topic(id=f"A2{text}", text="other")),
            hallucinations=(Topic(id="H1", text=text),),
        )
        for text in HOSTILE
    ]
    answers = [
        Answer(
            question_id=one,
            method=method,
            scope=HOSTILE[0],
            text=f"An answer. {method}",
            trace=(
                look(method, [Node(id=one, kind="entity", label=method)], asked=one, mode=one).model_copy(
                    update={"id": "s1"}
                ),
            ),
        )
        for one in HOSTILE
        for method in HOSTILE
    ]
    scores = [
        Score(
            question_id=answer.question_id,
            method=answer.method,
            scope=answer.scope,
            metric="topics",
            value=0.5,
            parts={"t_prec": 0.5, "t_rec": 0.5, "h_topic": 0.0, "h_resp": 0.0},
            detail={"covered": ["A1"], "found": [{"topics": ["A1"], "stretch": answer.method}]},
        )
        for answer in answers
    ]
    causes = [
        Score(
            question_id=score.question_id,
            method=score.method,
            scope=score.scope,
            metric="miss_cause",
            value=0.0,
            detail={"missed": [{"topic": f"A2{score.question_id}", "cause": HOSTILE[1], "reason": HOSTILE[0]}]},
        )
        for score in scores
    ]
    material = filled(questions, answers, [*scores, *causes], title=HOSTILE[0])
    text = HOSTILE[1]
    return replace(
        material,
        scopes=[Scope(id="s", name=HOSTILE[0], documents=())],
        banners=HOSTILE,
        facts={one: one for one in HOSTILE},
        agreement={"topics": HOSTILE[0]},
        titles={"d0": text},
        passages={"p0": Passage(id="p0", document_id="d0", text=text, start=0, end=len(text), tokens=3)},
        recorded=frozenset(HOSTILE),
    )


def test_hostile_texts_are_shown_as_they_are_and_run_nothing(show: Callable[..., Opened]) -> None:
    opened = show(hostile_material())
    page = opened.page

    for index in range(len(HOSTILE)):
        page.locator("#list button").nth(index).click()
        expect(page.locator("#detail h3")).to_contain_text("Q ")
    for trace in page.locator(".answer details", has_text="how it was found").all():
        trace.locator("> summary").click()
        trace.locator("> .step > summary").click()
    shown = page.locator("body").inner_text()
    for text in HOSTILE[:5]:
        assert text in shown
    assert page.evaluate("window.hit") is None
    assert page.locator("a:not([href^='#'])").count() == 0
    assert page.locator("img").count() == 0
    assert opened.said == []
    assert len(opened.asked) == 1


def test_a_question_is_found_by_a_word_and_shows_topics_answers_and_passages(show: Callable[..., Opened]) -> None:
    page = show(made_material()).page
    question = made_material().questions[7]

    page.fill("#find", question.topics[0].text)
    page.locator(f"#list button[data-id={question.id}]").click()
    page.locator(".tabs button", has_text="hard").click()

    expect(page.locator("#detail h3")).to_have_text(question.text)
    expect(page.locator(".tabs button[aria-pressed=true]")).to_have_text("hard")
    topics = len(question.topics) + len(question.hallucinations)
    expect(page.locator(".matrix tr[data-topic]")).to_have_count(topics)
    expect(page.locator(".matrix tr[data-topic] td")).to_have_count(5 * topics)
    expect(page.locator(".answer")).to_have_count(5)
    passages = page.locator(".answer", has_text="raptor(k=12)").locator("details").first
    passages.locator("> summary").click()
    passages.locator(".passage summary").first.click()
    expect(passages.locator(".passage .body").first).to_contain_text("Passage ")


def test_a_reasoning_tree_folds_with_its_evidence_a_click_away(show: Callable[..., Opened]) -> None:
    made = made_material()
    question = made.questions[0]
    hit = Hit(passage_id="p1", rank=1, score=0.5, source="dense")
    leaf = Step(
        id="1",
        parent="0",
        stage="node",
        mode="external",
        reason="atomic",
        input="Who built it?",
        output={"answer": "The guild.", "query": "guild", "why": "", "nodes": [drawn(hit)], "edges": []},
        hits=(hit,),
        usage=Usage(calls=2),
    )
    root = Step(id="0", stage="node", mode="vertical", reason="split", input=question.text, output={"answer": "It."})
    answers = [one.model_copy(update={"trace": (root, leaf)}) for one in made.answers]
    page = show(replace(made, answers=answers)).page
    page.locator(f"#list button[data-id={question.id}]").click()
    tree = page.locator(".answer", has_text="raptor(k=12)").locator("details", has_text="how it was found, 2 steps")

    tree.locator("> summary").click()
    expect(tree.locator(".step")).to_have_count(1)
    tree.locator("> .step > summary").click()
    inner = tree.locator("> .step > .step")
    expect(inner.locator("> summary")).to_have_text("node (external) atomic: Who built it? \u00b7 2 calls")
    inner.locator("> summary").click()
    expect(inner).to_contain_text("answer The guild.")
    expect(inner).to_contain_text("searched for guild")
    inner.locator(".passage summary").click()
    expect(inner.locator(".passage .body")).to_contain_text("Passage ")


def drawn(hit: Hit) -> dict[str, JsonValue]:
    return {"id": hit.passage_id, "kind": "passage", "label": hit.passage_id, "score": hit.score}


def test_the_stretches_of_the_topic_under_the_pointer_stand_out(show: Callable[..., Opened]) -> None:
    page = show(made_material()).page
    covered = page.locator(".matrix tr[data-topic]", has=page.locator(".verdict.hit")).first
    topic = covered.get_attribute("data-topic")

    covered.hover()

    outlined = page.locator("mark.on")
    expect(outlined.first).to_be_visible()
    assert all(topic in json.loads(one.get_attribute("data-topics") or "") for one in outlined.all())


def test_missed_topics_say_their_cause_and_unscored_answers_that_they_are(show: Callable[..., Opened]) -> None:
    material = made_material()
    unscored = next(score for score in material.scores if score.status == "unscored")
    page = show(material).page

    page.locator(f"#list button[data-id={unscored.question_id}]").click()
    page.locator(".tabs button", has_text="hard").click()

    expect(page.locator(".verdict.miss", has_text="not retrieved").first).to_be_visible()
    expect(page.locator(".verdict.unscored").first).to_have_text("unscored")
    expect(page.locator(".answer", has_text="llm_only").locator(".why").first).to_have_text(unscored.reason or "")


def test_the_page_opens_on_the_first_question_that_somebody_answered(show: Callable[..., Opened]) -> None:
    made = made_material()
    third, fifth = made.questions[3], made.questions[5]
    answered = [one for one in made.answers if one.question_id == fifth.id]
    failed = [
        Answer(question_id=third.id, method=one.method, scope=one.scope, status="failed", reason="no reply")
        for one in answered
    ]
    kept = {third.id, fifth.id}
    scores = [one for one in made.scores if one.question_id in kept]

    both = show(replace(made, answers=[*failed, *answered], scores=scores)).page
    alone = show(replace(made, answers=failed, scores=[])).page
    nobody = show(replace(made, answers=[], scores=[])).page

    expect(both.locator("#detail h3")).to_have_text(fifth.text)
    expect(both.locator("#list button[aria-current=true]")).to_have_attribute("data-id", fifth.id)
    expect(alone.locator("#detail h3")).to_have_text(third.text)
    expect(nobody.locator("#detail h3")).to_have_text(made.questions[0].text)


def test_an_answer_that_is_a_set_says_which_items_are_found_missed_and_wrong(show: Callable[..., Opened]) -> None:
    opened = show(mixed_material())
    page = opened.page

    page.locator("#list button[data-id=towns]").click()
    expect(page.locator(".answer .numbers")).to_contain_text("set_f1 25.0")
    expect(page.locator(".answer .items")).to_have_text(
        ["found 1 Bergen", "missed 2 Oslo; </script>", f"wrong 40 {'; '.join(f'w{n}' for n in range(12))}; and 28 more"]
    )
    page.locator("#list button[data-id=tides]").click()
    expect(page.locator(".answer .numbers")).to_contain_text("T-F1 50.0")
    expect(page.locator(".matrix thead .v")).to_have_text("50.0")
    expect(page.locator(".answer .items")).to_have_count(0)
    expect(page.locator("#count")).to_contain_text("a box is a method's set_f1 or T-F1")
    assert opened.said == []


def test_the_kind_narrows_the_list(show: Callable[..., Opened]) -> None:
    page = show(made_material()).page

    page.select_option("#kind", "Temporal")

    expect(page.locator("#list button")).to_have_count(4)
    expect(page.locator("#count")).to_contain_text("4 of 20 questions")


def test_two_thousand_questions_and_a_text_of_a_megabyte_stay_usable(show: Callable[..., Opened]) -> None:
    questions = [
        Question(id=f"q{n}", text=f"Question {n}, {'heron' if n == 7 else 'owl'}?", topics=(Topic(id="A1", text="t"),))
        for n in range(2000)
    ]
    answers = [
        Answer(question_id=one.id, method="a", text="word " * (200_000 if one.id == "q7" else 40)) for one in questions
    ]
    scores = [Score(question_id=one.id, method="a", metric="topics", value=0.5) for one in questions]
    opened = show(filled(questions, answers, scores, title="Many"))
    page = opened.page

    expect(page.locator("#list button")).to_have_count(200)
    page.fill("#find", "HERON question")
    expect(page.locator("#list button")).to_have_count(1)
    page.locator("#list button").click()
    body = page.locator(".answer .body")
    expect(body).to_contain_text("show all 1,000,000 characters")
    assert len(body.inner_text()) < 5000
    body.locator("button").click()
    assert len(body.inner_text()) > 900_000
    page.fill("#find", "")
    page.locator("#more-questions").click()
    expect(page.locator("#list button")).to_have_count(400)
    assert opened.said == []


@pytest.mark.parametrize(("width", "dark"), [(390, False), (1280, True), (1900, False)])
def test_the_page_fits_its_window_in_light_and_dark(show: Callable[..., Opened], width: int, *, dark: bool) -> None:
    page = show(made_material(), width=width, dark=dark).page

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(20, 22, 27)") is dark


def test_without_scripts_every_table_is_there(show: Callable[..., Opened]) -> None:
    page = show(made_material(), scripts=False).page

    expect(page.locator("#result")).to_contain_text("raptor(k=12)")
    expect(page.locator("table")).to_have_count(len(all_tables(made_material())))
    expect(page.locator("noscript p")).to_contain_text("allow scripts")


def test_a_banner_stands_above_the_title(show: Callable[..., Opened]) -> None:
    material = made_material()
    page = show(material).page

    banner = page.locator(".banners").bounding_box()
    title = page.locator("h1").bounding_box()

    assert banner is not None
    assert title is not None
    assert banner["y"] + banner["height"] <= title["y"]
    expect(page.locator(".banners p")).to_have_text(all_banners(material))


def test_cost_and_structure_are_lines_that_open_their_tables(show: Callable[..., Opened]) -> None:
    opened = show(made_material())
    section = opened.page.locator("#structure")
    spread = section.locator("table", has_text="median")

    expect(spread).to_be_hidden()
    section.locator("summary", has_text="Cost of an answer").click()
    expect(spread).to_be_visible()
    expect(section.locator("summary", has_text="Variants of extractive")).to_be_visible()
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert opened.said == []


def test_charts_follow_the_window_and_the_colours(show: Callable[..., Opened]) -> None:
    opened = show(made_material())
    chart = opened.page.locator("#chart-causes svg")

    opened.page.emulate_media(color_scheme="dark")
    opened.page.set_viewport_size({"width": 600, "height": 900})
    expect(chart).to_have_attribute("width", "568")
    opened.page.set_viewport_size({"width": 1200, "height": 900})
    expect(chart).to_have_attribute("width", "1152")

    assert opened.said == []
