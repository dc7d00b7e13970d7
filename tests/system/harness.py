# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs test programs under the real collector with the stand-in driver and CUPTI, and compares what
they did with what the trace holds. Every test gets a folder of its own. PROF_BUILD_DIR names the build."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import trace_db

BUILD = os.environ.get(
    "PROF_BUILD_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build")
)
BUILD = os.path.abspath(BUILD)
APP = os.path.join(BUILD, "tests", "system", "script_app")
LINKED_APP = os.path.join(BUILD, "tests", "system", "linked_app")
INJECT = os.path.join(BUILD, "lib", "libprof_inject.so")
NCCL = os.path.join(BUILD, "lib", "libprof_nccl.so")
OSRT = os.path.join(BUILD, "lib", "libprof_osrt.so")
PROF_RUN = os.path.join(BUILD, "bin", "prof-run")
PROF_REPORT = os.environ.get("PROF_REPORT", os.path.join(BUILD, "bin", "prof-report"))
STANDIN = os.path.join(BUILD, "tests", "standin")

# The runtime of the sanitizer that all is built with; None in a plain build.
SANITIZER = os.environ.get("PROF_SANITIZER_RUNTIME")
SANITIZER_OPTIONS = {
    # Signals and their statuses stay the program's. The collector's state is never freed, by
    # design.
    "ASAN_OPTIONS": "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:detect_leaks=0:"
    "verify_asan_link_order=0:exitcode=99",
    "TSAN_OPTIONS": "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:"
    "die_after_fork=0:exitcode=99:report_signal_unsafe=0:"  # The stand-in driver allocates.
    "suppressions=" + os.path.join(os.path.dirname(os.path.abspath(__file__)), "tsan.supp"),
    "UBSAN_OPTIONS": "print_stacktrace=1",
}

# Losses that say something odd happened but nothing is missing.
NOTICES = {
    "unbalanced_pop",
    "unclosed_range",
    "unknown_range_end",
    "forked_child",
    "zero_timestamp",
    "unknown_record",
    "before_start",
    "nvtx_call_not_kept",
    "record_without_launch",
}


def standin_environment(folder, cupti="cupti13", nvml=False, **extra):
    """The machine as it seems to the program: which stand-ins it has."""
    env = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PROF_", "STANDIN_", "NVTX_", "CUDA_", "NCCL_"))
        and key not in ("LD_PRELOAD", "LD_LIBRARY_PATH")
    }
    folders = [os.path.join(STANDIN, "cuda")] if cupti != "no driver" else []
    # The loader may know the CUPTI of this machine's toolkit: empty files stand before it.
    hidden = {
        None: ("libcupti.so.13", "libcupti.so.12", "libcupti.so"),
        "cupti12": ("libcupti.so.13",),
    }.get(cupti, ())
    for name in hidden:
        folders[:0] = [folder + "/hidden"] if folder + "/hidden" not in folders else []
        os.makedirs(folders[0], exist_ok=True)
        open(os.path.join(folders[0], name), "w", encoding="ascii").close()
    if cupti not in (None, "no driver"):
        folders.append(os.path.join(STANDIN, cupti))
    if nvml == "hidden":  # The loader may know the NVML of this machine's driver.
        folders.insert(0, os.path.join(folder, "hidden"))
        os.makedirs(folders[0], exist_ok=True)
        open(os.path.join(folders[0], "libnvidia-ml.so.1"), "w", encoding="ascii").close()
    elif nvml:
        folders.append(os.path.join(STANDIN, "nvml"))
    env["LD_LIBRARY_PATH"] = ":".join([*folders, os.path.join(BUILD, "lib")])
    if SANITIZER:
        env.update(SANITIZER_OPTIONS, LD_PRELOAD=SANITIZER)
    env["APP_COUNTS"] = os.path.join(folder, "counts.json")
    env.update(extra)
    return env


class Run:
    """What came of one run."""

    def __init__(self, folder, trace_path, process):
        self.folder, self.trace_path = folder, trace_path
        self.status, self.stdout, self.stderr = process.returncode, process.stdout, process.stderr
        try:
            with open(os.path.join(folder, "counts.json"), encoding="utf-8") as file:
                self.counts = json.load(file)
        except (OSError, ValueError):
            self.counts = None

    @property
    def prof_lines(self):
        return [
            line for line in self.stderr.splitlines() if line.startswith(("prof:", "prof-run:"))
        ]

    def trace(self):
        return trace_db.Trace(self.trace_path)

    def traces(self):
        return sorted(
            os.path.join(self.folder, name)
            for name in os.listdir(self.folder)
            if name.endswith(".db")
        )


class SystemTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="prof-system-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.trace_path = os.path.join(self.folder, "trace.db")

    def environment(self, cupti="cupti13", **extra):
        return standin_environment(self.folder, cupti, **extra)

    def command(self, script, door, env, options, app):
        """The command line for a way in; sets what it needs in env."""
        if door == "run":
            return [PROF_RUN, "-o", self.trace_path, *options, "--", app, script]
        env.setdefault("PROF_OUTPUT", self.trace_path)
        if door == "preload":
            env["LD_PRELOAD"] = f"{SANITIZER}:{INJECT}" if SANITIZER else INJECT
        elif door == "injection":
            env["CUDA_INJECTION64_PATH"] = env["NVTX_INJECTION64_PATH"] = INJECT
        return [app, script]

    def run_app(
        self,
        script,
        door="preload",
        status=0,
        options=(),
        cupti="cupti13",
        app=APP,
        timeout=120,
        cwd=None,
        stdin=None,
        **extra,
    ):
        """Runs the script and checks its exit status (negative: ended by that signal)."""
        env = self.environment(cupti, **extra)
        command = self.command(script, door, env, options, app)
        process = subprocess.run(
            command,
            env=env,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=cwd or self.folder,
            input=stdin,
            errors="surrogateescape",
        )
        run = Run(self.folder, self.trace_path, process)
        self.assertNotRegex(
            run.stderr, "(WARNING|ERROR|FATAL): (Address|Thread)Sanitizer|runtime error:"
        )
        if status is not None:
            self.assertEqual(status, run.status, f"exit status; stderr:\n{run.stderr[-3000:]}")
        return run

    def start_app(self, script, door="preload", options=(), cupti="cupti13", app=APP, **extra):
        """Starts the script and leaves it running, with its streams as pipes."""
        env = self.environment(cupti, **extra)
        command = self.command(script, door, env, options, app)
        process = subprocess.Popen(
            command,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream and not stream.closed:
                stream.close()

    def assert_counts(self, run, trace=None, allowed=()):
        """The trace holds exactly what the program counted, and reports no loss but those allowed."""
        trace = trace or run.trace()
        self.assertIsNotNone(run.counts, "the program wrote no counts")
        self.assertNotIn("failed", run.counts)
        self.assertEqual(run.counts.get("kernels", {}), trace.kernels_by_name())
        self.assertEqual(run.counts.get("copies", {}), trace.copies_by_kind())
        self.assertEqual(run.counts.get("sets", {}).get("all", 0), trace.set_count())
        self.assert_no_loss(trace, allowed)

    def assert_no_loss(self, trace, allowed=()):
        bad = {
            word: count
            for word, count in trace.losses().items()
            if word not in NOTICES and word not in allowed
        }
        self.assertEqual({}, bad)

    def assert_all_launched(self, trace):
        """Every kernel has the call that launched it."""
        self.assertEqual(
            0,
            trace.one(
                "SELECT count(*) FROM kernel k WHERE NOT EXISTS"
                " (SELECT 1 FROM api_call a WHERE a.correlation = k.correlation AND a.depth = 0)"
            ),
        )

    def assert_untouched(self, run, stdout="", lines=None):
        """The program's own output is all there is on stdout; stderr has nothing but our lines."""
        self.assertEqual(stdout, run.stdout)
        others = [
            line for line in run.stderr.splitlines() if not line.startswith(("prof:", "prof-run:"))
        ]
        self.assertEqual([], others)
        if lines is not None:
            self.assertEqual(lines, len(run.prof_lines), run.stderr)

    def report(self, *arguments, status=0):
        """prof-report on the trace."""
        done = subprocess.run(
            [PROF_REPORT, *arguments, self.trace_path], capture_output=True, text=True, timeout=120
        )
        self.assertEqual(status, done.returncode, done.stderr)
        return done

    def kernels_of_report(self):
        """The rows without the trace's name, in which two captures of one program differ."""
        rows = json.loads(self.report("-r", "kernels", "-f", "json").stdout)
        for row in rows:
            del row["trace"]
        return rows


def unless_sanitized(word, reason):
    """Leaves a test out under the sanitizer that `word` names (asan, tsan, or san for any)."""
    return unittest.skipIf(SANITIZER is not None and word in os.path.basename(SANITIZER), reason)


def number_in(text):
    found = re.search(r"\d+", text)
    return int(found.group()) if found else None


def main():
    for path in (APP, INJECT, PROF_RUN, PROF_REPORT):
        if not os.path.exists(path):
            raise SystemExit(f"{path} is missing: build first, and set PROF_BUILD_DIR")
    unittest.main(verbosity=2)
