# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the traces of a run hold together, read by docs/formats/schema.md and by prof-report."""
import os
import re
import sqlite3
import subprocess

import harness
import trace_db

ENDED_EARLY = "killed|did not end|ended without|ended before|before anything"


class Held:
    def __init__(self, paths):
        self.kernels, self.losses, self.problems, self.unended = 0, {}, [], []
        self.by_name = {}
        """Kernels by the file's name; an unreadable one is not in it."""
        self._unreadable = []
        for path in paths:
            self._add(path, os.path.basename(path))
        if self._unreadable:
            more = f" and {len(self._unreadable) - 1} more" if len(self._unreadable) > 1 else ""
            self.problems.append(f"{self._unreadable[0]}{more}")

    @property
    def lost(self):
        return sum(self.losses.values())

    def _report(self, path, name):
        """(prof-report opened it, what it said)"""
        done = subprocess.run(
            [harness.PROF_REPORT, "-r", "layers", path],
            capture_output=True,
            text=True,
            timeout=120,
            errors="replace",
        )
        said = (done.stdout + done.stderr).lower()
        # A run that was killed while it made its file has left one that holds nothing yet: where it
        # says so it is no riddle. Whether something is missing is counted elsewhere.
        if done.returncode != 0 and not re.search(ENDED_EARLY, said):
            line = (done.stderr.strip() or "no line").splitlines()[-1]
            line = line.replace(path, "it").removeprefix("prof-report: ")
            self._unreadable.append(f"{name} cannot be opened ({line})")
        return done.returncode == 0, said

    def _add(self, path, name):
        opened, said = self._report(path, name)
        try:
            trace = trace_db.Trace(path, recover=True)
            integrity = trace.one("PRAGMA integrity_check")
            if integrity != "ok":
                self.problems.append(f"{name} is damaged: {integrity.splitlines()[0]}")
            kernels, losses, ended = trace.kernel_count(), trace.losses(), "ended" in trace.meta()
            trace.db.close()
        except (sqlite3.Error, IndexError) as error:
            if opened:
                self.problems.append(f"{name} is no trace: {error}")
            return
        missing = {word: count for word, count in losses.items() if word not in harness.NOTICES}
        if not ended:
            self.unended.append(name)
            if opened and not re.search(ENDED_EARLY, said):
                self.problems.append(f"prof-report does not say that {name} did not end")
            missing.pop("killed", None)
        if kernels == 0 and not missing and ended:
            self.problems.append(f"{name} is an empty trace: no GPU work and no loss")
        self.kernels += kernels
        self.by_name[name] = kernels
        for word, count in missing.items():
            self.losses[word] = self.losses.get(word, 0) + count
