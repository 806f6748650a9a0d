"""Runs programs in rounds, and records what each run cost."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .places import Places


@dataclass(frozen=True)
class Job:
    """A program with its arguments, run once a round."""

    tool: str
    arguments: list
    stdin: Path | None = None
    environment: dict = field(default_factory=dict)
    #: Prepares the state that a run starts from. Not measured.
    prepare: Callable[[], None] | None = None
    #: Time limit of a run, in seconds.
    limit: int = 600
    #: The number of rounds, if fewer than for the others, for a tool that takes minutes.
    rounds: int | None = None
    #: Whether standard output is lines of JSON that belong to the results.
    has_figures: bool = False


def run_rounds(places: Places, jobs: list[Job], rounds: int) -> dict[str, list[dict]]:
    """Runs every job once a round. Each round starts with the next job.

    A disturbance of the machine thus affects all jobs alike, and none is always the first. A job that
    fails is not run again.
    """
    runs: dict[str, list[dict]] = {job.tool: [] for job in jobs}
    for number in range(rounds):
        start = number % len(jobs)
        for job in jobs[start:] + jobs[:start]:
            done = runs[job.tool]
            if len(done) >= (job.rounds or rounds) or (done and "failed" in done[-1]):
                continue
            done.append(run(places, job))
    return runs


def run(places: Places, job: Job) -> dict:
    """Returns the result of one run: seconds, peak RSS in MiB, and the reason if it failed."""
    if job.prepare:
        job.prepare()
    output, errors = places.written("standard-output"), places.written("standard-error")
    launcher = [
        places.timed, job.limit, job.stdin or os.devnull, output, errors, *job.arguments]
    answer = subprocess.run(
        [str(word) for word in launcher], check=True, capture_output=True, text=True,
        env={**os.environ, **job.environment})
    cost = json.loads(answer.stdout)
    result = {
        "cpu": cost["user"] + cost["system"], "user": cost["user"], "system": cost["system"],
        "wall": cost["wall"], "rss": cost["rss_kib"] / 1024}
    if cost["ran_out"]:
        result["failed"] = f"not done after {job.limit} s"
    elif cost["code"] != 0:
        result["failed"] = f"exit status {cost['code']}: {_last_line(errors)}"
    elif job.has_figures:
        result["figures"] = [json.loads(line) for line in open(output)]
    if "failed" in result:
        print(f"{job.tool}: {result['failed']}", file=sys.stderr)
    return result


def _last_line(path: Path) -> str:
    lines = path.read_text(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else "no message"


def empty_folder(path: Path) -> Callable[[], None]:
    """Returns a function that creates or empties a folder."""
    def make():
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    return make


def removed(path: Path) -> Callable[[], None]:
    """Returns a function that removes a file, if it exists."""
    return lambda: path.unlink(missing_ok=True)


def drop_from_cache(path: Path) -> Callable[[], None]:
    """Returns a function that drops a file from the page cache.

    Only pages that are already on disk can be dropped, so they are flushed first.
    """
    def drop():
        if not path.exists():
            return
        file = os.open(path, os.O_RDONLY)
        try:
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(file)
    return drop
