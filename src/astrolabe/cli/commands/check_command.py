"""`astrolabe check`."""

from pathlib import Path

import click

from astrolabe.benchmark import check_file
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.talk import Exit, give, give_object, say
from astrolabe.core.plural import plural
from astrolabe.store.folder import StudyFolder
from astrolabe.study.study import Study


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@common_options
def command(common: Common, *, file: Path) -> int:
    """Validate FILE (a benchmark, answers, comments or documents) before anything is paid for.

    Names every fault with its line, field, value and what to do. Inside a study (--study) evidence is also
    checked against its documents, and answers against its questions.
    """
    study = Study(StudyFolder(common.study))
    problems = check_file(file, documents=study.documents or None, questions=study.questions or None)
    errors = [problem for problem in problems if problem.severity == "error"]
    if common.as_json:
        rows = [
            {
                "line": problem.line,
                "field": problem.field,
                "value": problem.value,
                "problem": problem.problem,
                "fix": problem.fix,
                "file": problem.file or str(file),
                "severity": problem.severity,
            }
            for problem in problems
        ]
        give_object({"ok": not errors, "problems": [dict(row) for row in rows]})
    else:
        for problem in problems:
            give(f"{problem.severity}: {problem}")
        warnings = len(problems) - len(errors)
        say(f"{file}: {len(errors)} {plural(len(errors), 'error')}, {warnings} {plural(warnings, 'warning')}")
    return Exit.USER if errors else Exit.DONE
