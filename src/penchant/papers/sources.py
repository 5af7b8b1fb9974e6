"""The data sets of the experiments: where they are published, and which of them a folder holds.

None of them comes with the package, since most owners forbid redistribution. An experiment whose data are missing runs
on a made-up stand-in of the same shape.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from penchant.errors import InvalidInput

VARIABLE = "PENCHANT_DATA"


@dataclass(frozen=True)
class Source:
    """A set of data that an experiment reads.

    Attributes
    ----------
    name : str
        Of its folder: NAME/NAME.tar.xz, which unpacks to NAME/, or NAME/ itself.
    what : str
    files : tuple of str
        Which files the folder holds, as patterns.
    where : str
        Where its owner publishes it.
    terms : str
    """

    name: str
    what: str
    files: tuple[str, ...]
    where: str
    terms: str

    def is_in(self, data: Path | None) -> bool:
        """Whether the set is in the folder ``data``, packed or unpacked."""
        if data is None:
            return False
        folder = data / self.name
        packed = folder / f"{self.name}.tar.xz"
        return packed.is_file() or all(any(folder.glob(pattern)) for pattern in self.files)


SOURCES = (
    Source(
        "letor4-mq2008",
        "LETOR 4.0, MQ2008: 784 queries, 15,211 documents, 46 features, grades 0 to 2",
        ("S[1-5].txt",),
        "https://www.microsoft.com/en-us/research/project/letor-learning-rank-information-retrieval/",
        "research; not to be passed on",
    ),
    Source(
        "mslr-sample",
        "90 queries of MSLR-WEB30K, fold 1 (ids 10 to 98): 9,189 documents, 136 features, grades 0 to 4",
        ("train.txt", "vali.txt", "test.txt"),
        "https://www.microsoft.com/en-us/research/project/mslr/",
        "research; not to be passed on",
    ),
    Source(
        "letor2-ohsumed",
        "LETOR 2.0, OHSUMED: 106 queries, 16,140 documents, 25 features, grades 0 to 2",
        ("S[1-5].txt",),
        "https://www.microsoft.com/en-us/research/project/letor-learning-rank-information-retrieval/",
        "research; not to be passed on",
    ),
    Source(
        "ml-1m",
        "MovieLens 1M: 1,000,209 ratings by 6,040 users",
        ("ratings.*",),
        "https://grouplens.org/datasets/movielens/1m/",
        "research, to be cited; not commercial, not to be passed on",
    ),
    Source(
        "label-ranking",
        "the benchmark of Cheng and Hüllermeier: 21 sets with complete rankings",
        ("label_ranking/*.csv",),
        "https://github.com/alfaro96/scikit-lr",
        "MIT",
    ),
    Source(
        "sushi",
        "SUSHI: 5,000 people, each with an order of the same ten kinds",
        ("sushi3a.5000.10.order", "sushi3.udata"),
        "https://www.kamishima.net/sushi/",
        "research, to be cited; not to be passed on",
    ),
    Source(
        "ordinal",
        "30 sets with ordered classes",
        ("*.csv", "gagolews/*.csv"),
        "https://github.com/ayrna/orca-python and https://github.com/gagolews/ordinal_regression_data",
        "BSD-3-Clause; none stated",
    ),
    Source(
        "citation-graphs",
        "Cora and CiteSeer: 6,035 papers, their words, classes and 9,830 links",
        ("*.nodes.txt", "*.edges.txt"),
        "https://github.com/kimiyoung/planetoid",
        "MIT",
    ),
)
BY_NAME = {source.name: source for source in SOURCES}


def data_folder(given: str | Path | None = None) -> Path | None:
    """Return the folder of the data: ``given``, or the value of PENCHANT_DATA, or None.

    Examples
    --------
    >>> data_folder("nowhere")
    Traceback (most recent call last):
    penchant.errors.InvalidInput: data must be a folder, got nowhere: correct the path, or leave it out for made-up
    stand-ins
    """
    named = given if given is not None else os.environ.get(VARIABLE) or None
    if named is None:
        return None
    if not Path(named).is_dir():
        what = "data" if given is not None else VARIABLE
        raise InvalidInput(
            f"{what} must be a folder, got {named}: correct the path, or leave it out for made-up stand-ins"
        )
    return Path(named)


@contextmanager
def unpacked(data: Path, name: str) -> Iterator[Path]:
    """Yield the folder of a set; a packed one is unpacked into a temporary folder."""
    archive = data / name / f"{name}.tar.xz"
    if not archive.exists():
        if not any((data / name).glob("*.*")):
            raise InvalidInput(
                f"data must be a folder that holds {name}/{archive.name}, got {data}: "
                "give the folder, or none for a made-up stand-in"
            )
        yield data / name
        return
    with TemporaryDirectory() as folder, tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
        yield Path(folder) / name
