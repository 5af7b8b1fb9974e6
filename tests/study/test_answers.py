"""The answers that count, in log order, and the questions that are open."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penchant.study.answers import Answer, LiveAnswers, OpenQuestions, Question


def answer(place: int) -> Answer:
    return Answer(f"a{place}", Question(f"q{place}", "a", "b", "me"), "left", place=place)


@given(
    st.lists(st.tuples(st.sampled_from(["add", "remove", "restore", "mark", "replace"]), st.integers(0, 99)))
)
def test_live_answers_are_a_sorted_list_that_knows_what_changed(steps: list[tuple[str, int]]) -> None:
    """After any history the answers are in log order, and as many as it says are those of the last mark."""
    live, removed, marked, place = LiveAnswers(), list[Answer](), list[Answer](), 0
    for kind, choice in steps:
        if kind == "add":
            live.add(answer(place))
            place += 1
        elif kind == "remove" and len(live):
            removed.append(live.answers[choice % len(live)])
            live.remove(removed[-1])
        elif kind == "restore" and removed:
            live.add(removed.pop(choice % len(removed)))
        elif kind == "replace":
            kept = [one for one in live.answers if one.place % 3]
            removed += [one for one in live.answers if not one.place % 3]
            live.replace(kept)
        elif kind == "mark":
            unchanged = live.mark()
            assert live.answers[:unchanged] == marked[:unchanged]
            assert unchanged <= min(len(live), len(marked))
            marked = list(live.answers)
    places = [one.place for one in live.answers]
    assert places == sorted(places)
    unchanged = live.mark()
    assert live.answers[:unchanged] == marked[:unchanged]


def test_answers_at_the_end_leave_the_revision() -> None:
    """Only what is not an addition at the end makes caches of the answers invalid."""
    live = LiveAnswers()
    live.add(answer(0))
    live.add(answer(2))
    assert live.revision == 0
    live.add(answer(1))
    assert (live.revision, live.unchanged) == (1, 0)


def test_questions_are_open_for_the_lease() -> None:
    """Each judge's questions come oldest first, until they are closed or their time has run out."""
    questions = OpenQuestions(lease=10.0)
    first, second = Question("q1", "a", "b", "ann", 0.0), Question("q2", "a", "c", "ann", 5.0)
    other = Question("q3", "b", "c", "bob", 6.0)
    for code, question in enumerate((first, second, other)):
        questions.add(question, code)
    assert list(questions.of("ann", 7.0)) == [first, second]
    assert list(questions.codes(7.0)) == [0, 1, 2]
    assert list(questions.codes(12.0)) == [1, 2]
    assert list(questions.all(12.0)) == [second, other]
    questions.close(other)
    questions.close(other)
    assert list(questions.all(12.0)) == [second]
    questions.add(first, 0)
    assert list(questions.of("ann", 1.0)) == [second, first]
    assert list(questions.of("nobody", 1.0)) == []


@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "close", "ask", "expire"]), st.integers(0, 5), st.integers(-4, 25))
    )
)
def test_the_codes_are_those_of_the_questions_that_are_reserved(steps: list[tuple[str, int, int]]) -> None:
    """After any history, with a clock that also goes back, and with two questions about one pair."""
    questions, held = OpenQuestions(lease=10.0), dict[str, Question]()
    for kind, number, time in steps:
        if kind == "add":
            question = Question(f"q{number}", "a", "b", f"j{number % 2}", float(time))
            if question.id not in held:
                held[question.id] = question
                questions.add(question, number // 2)
        elif kind == "close" and held:
            questions.close(held.pop(sorted(held)[number % len(held)]))
        elif kind == "ask":
            held = {id: asked for id, asked in held.items() if abs(time - asked.time) < 10}
            assert list(questions.codes(time)) == sorted({int(id[1:]) // 2 for id in held})
        elif kind == "expire":
            held = {
                id: asked for id, asked in held.items() if abs(time - asked.time) < 10 or asked.judge != "j0"
            }
            list(questions.of("j0", time))
