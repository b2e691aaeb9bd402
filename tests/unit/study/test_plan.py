from pathlib import Path

import pytest

from astrolabe.core.errors import ConfigError, UserError
from astrolabe.store.lines import write_records
from astrolabe.study.models import Asking
from astrolabe.study.plan import StagePlan, plan_run, plan_score, plan_score_file
from astrolabe.study.progress import Silent
from astrolabe.study.running import RunRequest, run
from astrolabe.study.study import open_study
from astrolabe.study.study_scores import score_and_show
from tests.servers import Behaviour, Body, Says, Seen, Status, serving
from tests.small_study import finds, model_at, questions, small_study, speaks

ASKING = Asking()


async def planned(root: Path, *methods: str, asking: Asking = ASKING, limit: int | None = None) -> list[StagePlan]:
    return await plan_run(open_study(root), RunRequest(methods=methods, limit=limit), asking, Silent())


async def ran(root: Path, *methods: str, limit: int | None = None) -> None:
    await run(open_study(root), RunRequest(methods=methods, limit=limit), Asking(), Silent())


@pytest.mark.parametrize(("method", "calls"), [("vanilla", 8), ("llm_only", 4), ("vanilla(k=1)", 4)])
async def test_a_plan_counts_exactly_the_calls_that_the_run_makes(tmp_path: Path, method: str, calls: int) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        before = await planned(tmp_path, method)
        untouched = list(server.seen)
        await ran(tmp_path, method)
        after = await planned(tmp_path, method)

    (stage,) = before
    assert untouched == []
    assert (stage.stage, stage.calls, stage.calls_low, stage.calls_high) == ("answer.write", calls, calls, calls)
    assert len(server.seen) == calls
    assert sum(stage.calls for stage in after) == 0


async def test_extractive_asks_nothing(tmp_path: Path) -> None:
    small_study(tmp_path)

    assert await planned(tmp_path, "extractive") == []


async def test_what_the_record_has_is_free_also_where_the_answers_are_gone(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path, "vanilla")
        (tmp_path / "answers" / "vanilla.jsonl").unlink()
        (stage,) = await planned(tmp_path, "vanilla")

    assert (stage.calls, stage.recorded, stage.prompt_tokens) == (0, 8, 0)


async def test_a_limit_plans_the_questions_that_the_run_would_choose(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path, "vanilla", limit=2)
        (rest,) = await planned(tmp_path, "vanilla", limit=3)
        await ran(tmp_path, "vanilla", limit=3)

    assert rest.calls == 2
    assert len(server.seen) == 6


async def test_a_question_that_failed_is_planned_again(tmp_path: Path) -> None:
    def script(seen: Seen) -> Behaviour:
        return Status(400, "no") if "How is salt" in seen.messages[-1]["content"] else Says("Yes.")

    with serving(script) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path, "llm_only")
        (stage,) = await planned(tmp_path, "llm_only")

    assert (stage.calls, stage.recorded) == (1, 0)


async def test_only_what_is_in_the_record_counts_as_recorded_and_each_call_once(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        (before,) = await planned(tmp_path, "llm_only")  # asks the same in both scopes
        await ran(tmp_path, "llm_only")
        (tmp_path / "answers" / "llm_only.jsonl").unlink()
        (after,) = await planned(tmp_path, "llm_only")

    assert (before.calls, before.recorded) == (4, 0)
    assert (after.calls, after.recorded) == (0, 4)


async def test_live_pays_for_everything_again(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        small_study(tmp_path, answer=model_at(server.url))
        await ran(tmp_path, "vanilla")
        (tmp_path / "answers" / "vanilla.jsonl").unlink()
        (stage,) = await planned(tmp_path, "vanilla", asking=Asking(mode="live"))

    assert (stage.calls, stage.recorded) == (8, 0)


async def test_money_is_unknown_without_a_price_and_an_estimate_with_one(tmp_path: Path) -> None:
    model = model_at("http://127.0.0.1:9/v1")
    study = small_study(tmp_path, answer=model)
    (without,) = await planned(tmp_path, "vanilla")
    settings = study.folder.settings
    price = f'\n[prices."{model}"]\nprompt = 1.0\ncompletion = 10.0\n'
    settings.write_text(settings.read_text("utf-8") + price, "utf-8")

    (priced,) = await planned(tmp_path, "vanilla")

    assert without.usd is None
    assert priced.usd == pytest.approx((priced.prompt_tokens + 10 * priced.completion_tokens) / 1e6)
    assert priced.completion_tokens == 8 * 120 / 2
    assert priced.prompt_tokens > 8 * 100
    assert priced.seconds > 0


async def test_a_system_of_the_users_is_not_called_by_a_plan(tmp_path: Path) -> None:
    small_study(tmp_path)
    with serving([Body('{"text": "Yes."}')]) as server:
        request = RunRequest(system=server.address)
        before = await plan_run(open_study(tmp_path), request, Asking(), Silent())
        untouched = list(server.seen)
        await run(open_study(tmp_path), request, Asking(), Silent())
        after = await plan_run(open_study(tmp_path), request, Asking(), Silent())

    assert untouched == []
    assert [(stage.stage, stage.calls, stage.usd) for stage in before] == [("answer.system", 8, None)]
    assert after == []


async def test_a_plan_needs_what_the_run_needs(tmp_path: Path) -> None:
    small_study(tmp_path)

    with pytest.raises(ConfigError, match="role 'answer'"):
        await planned(tmp_path, "vanilla")
    with pytest.raises(ConfigError, match="no method"):
        await planned(tmp_path, "vanila")


async def test_scoring_is_planned_call_by_call(tmp_path: Path) -> None:
    with serving(finds()) as server:
        small_study(tmp_path, judge=model_at(server.url))
        await ran(tmp_path, "extractive")
        before = await plan_score(open_study(tmp_path), ["topics"], Asking(), Silent())
        untouched = list(server.seen)
        await score_and_show(open_study(tmp_path), ["topics"], Asking(), Silent())
        after = await plan_score(open_study(tmp_path), ["topics"], Asking(), Silent())

    assert untouched == []
    assert [(stage.stage, stage.calls) for stage in before] == [("judge.topics", len(server.seen))]
    assert sum(stage.calls for stage in after) == 0


async def test_a_call_that_two_metrics_share_is_planned_once(tmp_path: Path) -> None:
    with serving(finds()) as server:
        small_study(tmp_path, judge=model_at(server.url))
        await ran(tmp_path, "extractive")
        names = ["topics", "miss_cause(by=topics)"]
        (stage,) = await plan_score(open_study(tmp_path), names, Asking(), Silent())
        await score_and_show(open_study(tmp_path), names, Asking(), Silent())

    assert stage.calls == len(server.seen)


async def test_scoring_a_file_is_planned_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTROLABE_CACHE", str(tmp_path / "cache"))
    bench, answers = tmp_path / "bench.jsonl", tmp_path / "answers.jsonl"
    asked = questions()
    write_records(bench, asked)
    lines = [f'{{"question_id": "{one.id}", "text": "The moon."}}\n' for one in asked]
    answers.write_text("".join(lines), "utf-8")

    asking = Asking(roles={"judge": model_at("http://127.0.0.1:9/v1")})
    (stage,) = await plan_score_file(answers, bench, ["topics"], asking, progress=Silent())
    free = await plan_score_file(answers, bench, ["topics_local"], Asking(), progress=Silent())

    assert stage.calls == 4
    assert free == []


async def test_a_study_without_answers_has_no_scoring_to_plan(tmp_path: Path) -> None:
    small_study(tmp_path)

    with pytest.raises(UserError, match="astrolabe run"):
        await plan_score(open_study(tmp_path), ["topics_local"], Asking(), Silent())
