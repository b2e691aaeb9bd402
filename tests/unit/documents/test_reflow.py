from astrolabe.documents.reflow import PrintedLine, reflow


def line(text: str, bottom: float = 0.0, *, left: float = 72.0, page: int = 0, broken: bool = False) -> PrintedLine:
    right = left + 5 * len(text)
    return PrintedLine(text=text, page=page, left=left, right=right, bottom=bottom, size=10, broken=broken)


def test_a_word_broken_at_a_lines_end_is_mended() -> None:
    assert reflow([line("the whole docu", 100, broken=True), line("ment is here", 88)]) == "the whole document is here"


def test_a_hyphen_that_belongs_to_the_word_stays() -> None:
    known = line("a well-known fact about state of the art things", 100)
    broken = [line("it is well", 88, broken=True), line("known by now", 76)]

    assert reflow([known, *broken]).endswith("it is well-known by now")


def test_a_sentence_goes_on_in_the_next_column_and_on_the_next_page() -> None:
    left = line("the ships wait outside of the harbour until", 50)
    right = line("water is low and the keeper comes", 700, left=320)
    following = line("to open the locks for them again", 700, page=1)

    text = reflow([left, right, following])

    assert text == " ".join(one.text for one in (left, right, following))


def test_list_items_stand_on_lines_of_their_own() -> None:
    text = reflow([line("These are needed:", 100), line("• a boat", 88), line("• an oar", 76)])

    assert text.replace("\n\n", "\n") == "These are needed:\n• a boat\n• an oar"


def test_a_line_of_print_that_looks_like_a_heading_is_escaped() -> None:
    assert reflow([line("# a comment in code", 100)]) == "\\# a comment in code"


def test_raised_numbers_stay_in_their_line() -> None:
    text = reflow([line("as shown", 100), line("2", 104, left=112), line("by others before", 100, left=122)])

    assert text == "as shown2 by others before"


def test_nothing_printed_is_no_text() -> None:
    assert reflow([]) == ""
