"""The last step: ``penchant fit``, ``predict`` and ``evaluate``. Graded documents in; a model, scores, figures out."""

from __future__ import annotations

import json as json_text
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from penchant.cli.options import Json
from penchant.cli.progress import busy
from penchant.cli.reading import read, unused
from penchant.cli.refusals import complain
from penchant.errors import InvalidInput

Graded = Annotated[Path, typer.Argument(metavar="FILE", help="Graded documents, LETOR or SVMlight with qid.")]
Saved = Annotated[Path, typer.Argument(metavar="MODEL", help="What ``penchant fit`` saved.")]


class Documents(NamedTuple):
    """Graded documents: their features, grades and queries."""

    features: Any
    grades: Any
    qid: Any


class RankerName(StrEnum):
    """The rankers by the names that are typed."""

    rank_svm = "ranksvm"
    rank_boost = "rankboost"


_CLASSES = {RankerName.rank_svm: "RankSVM", RankerName.rank_boost: "RankBoost"}


def fit(
    file: Graded,
    save: Annotated[Path, typer.Option(metavar="OUT", help="Where the model goes.")],
    model: Annotated[RankerName, typer.Option(help="What to fit.")] = RankerName.rank_svm,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the model; may be given again.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Learn to rank from graded documents, and save what was learned."""
    from penchant import rankers
    from penchant.cli.terminal import Terminal
    from penchant.saving import save as save_model

    kind = getattr(rankers, _CLASSES[model])
    ranker = kind(**_settings(setting or [], kind().get_params()))
    documents = _read(file)
    with busy(f"fitting {_CLASSES[model]}"):
        ranker.fit(_taken(ranker, documents.features), documents.grades, qid=documents.qid)
    save_model(ranker, save)
    terminal = Terminal()
    n_queries = len(set(documents.qid.tolist()))
    terminal.say(f"{ranker!r}, fitted to {len(documents.grades):,} documents of {n_queries:,} queries")
    terminal.say(f"Saved: {save}")
    terminal.next(["evaluate", str(save), str(file)])


def predict(
    model: Saved,
    file: Graded,
    out: Annotated[Path, typer.Option(metavar="OUT", help="Where the scores go; - prints them.")] = Path("-"),
) -> None:
    """Score documents with a saved model."""
    scores = _scores(model, _read(file))
    text = "".join(f"{score!r}\n" for score in scores.tolist())
    if out == Path("-"):
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
        typer.echo(f"Scores: {out}")


def evaluate(
    model: Saved,
    file: Graded,
    k: Annotated[int, typer.Option(min=1, help="Where NDCG is cut.")] = 10,
    json: Json = False,
) -> None:
    """Say how well a saved model ranks graded documents."""
    from penchant.cli.terminal import Terminal
    from penchant.metrics import evaluate as measured

    documents = _read(file)
    found = measured(documents.grades, _scores(model, documents), qid=documents.qid, k=k)
    if json:
        typer.echo(json_text.dumps([vars(figure) for figure in found.figures]))
        return
    Terminal().say(*repr(found).splitlines())


def _read(file: Path) -> Documents:
    """Read documents, and say on the error output what could not be used of the file."""
    reading = read(file, format="letor", strict=False, told={"ids": False})
    for line in unused(reading):
        complain(line)
    return Documents(reading.features, reading.grades, reading.qid)


def _scores(path: Path, documents: Documents) -> Any:
    """Load a ranker and return what it says of the documents."""
    from penchant.rankers import RankerMixin
    from penchant.saving import load

    loaded = load(path)
    if not isinstance(loaded, RankerMixin):
        raise InvalidInput(
            f"{path} must hold a ranker, got a {type(loaded).__name__}: save one with penchant fit"
        )
    ranker: Any = loaded
    features = documents.features
    wanted = ranker.n_features_in_
    if features.shape[1] > wanted:
        raise InvalidInput(
            f"documents must have at most {wanted} features, got {features.shape[1]}: fit on the same ones"
        )
    features.resize((features.shape[0], wanted))  # the last ones may be 0 in every document
    return ranker.predict(_taken(ranker, features))


def _taken(ranker: Any, features: Any) -> Any:
    """Return sparse features to those who take them, and all numbers to others."""
    return features if ranker.__sklearn_tags__().input_tags.sparse else features.toarray()


def _settings(typed: list[str], known: dict[str, Any]) -> dict[str, Any]:
    """Return settings by name, as numbers where they are such."""
    settings = {}
    for words in typed:
        name, equals, value = words.partition("=")
        if not equals or name not in known:
            raise InvalidInput(
                f"--set must be NAME=VALUE with one of {', '.join(known)}, got {words!r}: correct it"
            )
        try:
            settings[name] = json_text.loads(value)
        except ValueError:
            settings[name] = value
    return settings
