"""Errors keep what was wrong, its limit, what was received and the remedy apart, until an interface words them."""

from __future__ import annotations

import copy
import pickle

from penchant.errors import (
    Argument,
    CannotStore,
    Conflict,
    InvalidInput,
    NotAllowed,
    PenchantError,
    Text,
    UnknownItem,
    Unreachable,
    worded,
)


def test_an_error_of_parts_reads_as_one_sentence_and_keeps_the_parts() -> None:
    error = UnknownItem.of("weight of row 14", "be above 0", -1, "remove the row")
    assert str(error) == "weight of row 14 must be above 0, got -1: remove the row"
    assert (error.argument, error.limit, error.received, error.remedy) == (
        "weight of row 14",
        "be above 0",
        "-1",
        "remove the row",
    )
    assert isinstance(error, UnknownItem | InvalidInput | ValueError)


def test_an_error_of_a_message_has_no_parts() -> None:
    error = PenchantError("the disk is full")
    assert (str(error), error.argument, error.remedy) == ("the disk is full", "", "")


def test_parts_survive_the_way_to_another_process() -> None:
    remedy = Text("give ", Argument("header", False))
    for error in (
        pickle.loads(pickle.dumps(InvalidInput.of("level", "be below 1", 2, remedy))),
        copy.copy(InvalidInput.of("level", "be below 1", 2, remedy)),
    ):
        assert str(error) == "level must be below 1, got 2: give header=False"
        assert error.argument == "level"
        assert (
            error.worded(lambda argument: f"--{argument.name}")
            == "--level must be below 1, got 2: give --header"
        )


def test_arguments_in_a_text_are_python_until_an_interface_words_them() -> None:
    text = Text(
        "name ",
        Argument("better"),
        " or give ",
        Argument("format", "pairs"),
        ", ",
        Argument("bytes", 9, "limits"),
    )
    assert text == "name better= or give format='pairs', limits=Limits(bytes=9)"
    assert worded(text, lambda argument: f"<{argument.name}>") == "name <better> or give <format>, <bytes>"


def test_a_message_that_names_no_argument_is_the_same_in_every_interface() -> None:
    for error in (InvalidInput("the file is empty"), InvalidInput()):
        assert error.worded(lambda argument: "another word") == str(error)


def test_texts_can_be_put_together_without_losing_their_arguments() -> None:
    error = InvalidInput(Text("a.csv: ", Text("name ", Argument("better")), " at last"))
    assert str(error) == "a.csv: name better= at last"
    assert error.worded(lambda argument: f"--{argument.name}") == "a.csv: name --better at last"


def test_a_subject_that_is_no_option_keeps_its_name() -> None:
    error = InvalidInput.of("weight of row 14", "be above 0", -1, "remove the row")
    assert error.worded(str) == str(error)


def test_errors_of_a_server_are_also_what_python_calls_them() -> None:
    """Who catches ConnectionError or PermissionError catches these; their ids and questions are empty by default."""
    assert isinstance(Unreachable("gone"), ConnectionError)
    assert isinstance(NotAllowed.of("the token", "work", "another", "ask for one"), PermissionError)
    assert (Unreachable("gone").event_id, CannotStore("gone").event_id, Conflict("taken").next) == (
        "",
        "",
        None,
    )
    assert str(Unreachable("gone")) == "gone"
