"""Runs `symbolist index` on one input in a process with limits, and reports the outcome."""

import enum
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import threading

MEBIBYTE = 1 << 20


class Outcome(enum.Enum):
    """The outcome of a run."""

    INDEXED = "indexed"
    REFUSED = "refused"
    TRAPPED = "trapped"
    HUNG = "hung"
    GREW = "grew"
    SILENT = "failed silently"

    @property
    def is_failure(self):
        return self not in (Outcome.INDEXED, Outcome.REFUSED)


class Trials:
    """Runs for copies of one file, with limits relative to what the file itself needs."""

    def __init__(self, symbolist, file):
        self._symbolist = symbolist
        self._slices = self.slices(symbolist, file)
        if not self._slices:
            raise SystemExit(f"{file}: not readable by symbolist: use readable debug files")
        self._cpu_limit = self._space_limit = None
        usages = [self._spawn(file, number)[1] for number in range(len(self._slices))]
        seconds = max(usage.ru_utime + usage.ru_stime for usage in usages)
        peak = max(usage.ru_maxrss * 1024 for usage in usages)
        self._cpu_limit = int(10 + 10 * seconds)
        self._peak_limit = 2 * peak + 256 * MEBIBYTE
        # More address space is reserved than touched, so its limit only stops excessive use.
        self._space_limit = 4 * self._peak_limit

    @staticmethod
    def slices(symbolist, file):
        """Returns the architectures of a file's slices; empty if it is not a debug file."""
        command = [symbolist, "inspect", "--json", file]
        result = subprocess.run(command, capture_output=True, check=False)
        files = json.loads(result.stdout or b"{}").get("files", [])
        return [slice_["arch"] for slice_ in files if slice_["uuid"]]

    def command(self, path, number):
        """Returns the command that repeats a run."""
        return " ".join(self._arguments(path, number, f"{path}.symidx"))

    def run(self, data, number):
        """Indexes `data`; of a universal file, the slice selected by `number`."""
        with tempfile.TemporaryDirectory(prefix="symbolist-mutate-") as folder:
            path = pathlib.Path(folder) / "damaged"
            path.write_bytes(data)
            status, usage, message = self._spawn(path, number)
        if os.WIFSIGNALED(status):
            killers = (signal.SIGXCPU, signal.SIGKILL)
            return Outcome.HUNG if os.WTERMSIG(status) in killers else Outcome.TRAPPED
        if usage.ru_maxrss * 1024 > self._peak_limit:
            return Outcome.GREW
        if os.WEXITSTATUS(status) == 0:
            return Outcome.INDEXED
        return Outcome.REFUSED if message else Outcome.SILENT

    def _arguments(self, path, number, output):
        slice_ = self._slices[number % len(self._slices)]
        return [str(self._symbolist), "index", "--arch", slice_, str(path), "-o", str(output)]

    def _spawn(self, path, number):
        """Returns the status, resource usage, and errors of one run."""
        environment = dict(os.environ, SWIFT_BACKTRACE="enable=no")
        with tempfile.TemporaryDirectory(prefix="symbolist-mutate-") as folder:
            errors = pathlib.Path(folder) / "errors"
            output = pathlib.Path(folder) / "index"
            with open(errors, "wb") as stream:
                process = subprocess.Popen(
                    self._arguments(path, number, output), stdin=subprocess.DEVNULL,
                    stdout=stream, stderr=stream, env=environment, preexec_fn=self._limit)
            # A process that waits forever uses no CPU time.
            timer = threading.Timer(10 * (self._cpu_limit or 60), process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            return status, usage, errors.read_bytes()

    def _limit(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self._cpu_limit:
            resource.setrlimit(resource.RLIMIT_CPU, (self._cpu_limit, self._cpu_limit + 1))
        if self._space_limit:
            resource.setrlimit(resource.RLIMIT_AS, (self._space_limit, self._space_limit))
