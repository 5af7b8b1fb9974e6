"""A PostgreSQL server for tests: started in a folder of its own, as a user of its own, on a socket there."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil  # type: ignore[import-untyped]

ROLE, PASSWORD = "tester", "marker-of-a-secret"
_PATIENCE = 30.0
_names = count()


def programs() -> Path | None:
    """Return the folder of the server's programs; Debian's are not on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    on_path = shutil.which("postgres")
    return None if on_path is None else Path(on_path).resolve().parent


def _user() -> dict[str, Any]:
    """Return whom the server runs as: it refuses root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    raise RuntimeError("there is no user to run PostgreSQL as: make one called postgres")


class Server:
    """A server of one database, which syncs and has checksums of its pages.

    Parameters
    ----------
    network : str
        An address of this computer, such as 10.0.0.1/30, at which it listens too, for all of its network.
    """

    def __init__(self, network: str = "") -> None:
        self._listens_at = network.partition("/")[0]
        programs_found = programs()
        assert programs_found is not None, "PostgreSQL is not installed"
        self._programs = programs_found
        self._user = _user()
        self.folder = Path(tempfile.mkdtemp(prefix="penchant-pg-"))
        if self._user:
            os.chown(self.folder, self._user["user"], self._user["group"])
        self._log = (self.folder / "log").open("ab")
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        words = f"-U {ROLE} --pwfile={secret} -A scram-sha-256 -E UTF8 --locale=C --data-checksums --no-sync"
        self._run("initdb", "-D", str(self.data), *words.split())
        if network:
            with (self.data / "pg_hba.conf").open("a") as allowed:
                allowed.write(f"host all all {network} scram-sha-256\n")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._programs / program), *words]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, **self._user)
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start it, also where it was killed: it then recovers what was committed."""
        import psycopg

        settings = {
            "listen_addresses": self._listens_at,
            "unix_socket_directories": self.folder,
            "fsync": "on",
        }
        settings |= {"shared_buffers": "16MB", "max_connections": 60, "max_wal_size": "128MB"}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self.data), *words]
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            self._process = subprocess.Popen(
                command, cwd=self.folder, stdout=self._log, stderr=self._log, **self._user
            )
            while self._process.poll() is None and time.monotonic() < until:
                try:
                    psycopg.connect(self.uri).close()
                except psycopg.OperationalError:
                    time.sleep(0.05)
                else:
                    return
            time.sleep(0.1)  # the memory of one that was killed is still in use
        raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")

    @property
    def uri(self) -> str:
        """The address of the database."""
        return f"postgresql://{ROLE}:{PASSWORD}@/postgres?host={self.folder}"

    def address(self, name: str | None = None) -> str:
        """Return the address of a study in the database, of a new one unless it is named."""
        return f"{self.uri}&study={name or f's{os.getpid()}_{next(_names)}'}"

    def files(self) -> bytes:
        """Return what the files of all tables hold, after everything in memory was written to them."""
        import psycopg

        with psycopg.connect(self.uri, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
        return b"".join(path.read_bytes() for path in sorted((self.data / "base").glob("*/*")))

    def kill(self) -> None:
        """Kill every process of the server at once, as a lost computer would."""
        assert self._process is not None
        family = [
            psutil.Process(self._process.pid),
            *psutil.Process(self._process.pid).children(recursive=True),
        ]
        for process in family:
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue
        self._process.wait()
        psutil.wait_procs(family[1:], timeout=_PATIENCE)

    def stop(self) -> None:
        """Stop it at once, and remove its folder."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(_PATIENCE)
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
