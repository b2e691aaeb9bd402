from astrolabe.core.errors import ConfigError, Stopped
from astrolabe.study.faults import first_of


def test_an_error_that_is_no_group_is_itself() -> None:
    error = ValueError("x")

    assert first_of(error) is error


def test_the_first_of_a_group_counts_however_deep_it_lies() -> None:
    error = ValueError("x")

    assert first_of(ExceptionGroup("a", [ExceptionGroup("b", [error]), KeyError("y")])) is error


def test_what_ends_a_command_counts_before_the_others() -> None:
    for error in (Stopped("s"), ConfigError("c")):
        assert first_of(ExceptionGroup("a", [KeyError("y"), ExceptionGroup("b", [error])])) is error
