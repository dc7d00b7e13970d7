#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which process writes which file, and that the closing line states what the file contains."""
import os
import re
import subprocess
import time

import trace_db
from harness import APP, BUILD, INJECT, LINKED_APP, PROF_RUN, SystemTest, main


class WithoutWork(SystemTest):
    """A process without GPU work leaves no file and takes no name."""

    # More text than is held in memory, as fast as a ring can take it.
    ANNOTATE = f'repeat 30 {{ repeat 700 {{ push "{"x" * 2000}"; pop }} sleep 60 }} '

    def test_prof_run(self):
        run = self.run_app(
            "push a; malloc 5; event 3; getter 10; sync; pop; out done; exit 7", "run", status=7
        )
        self.assert_untouched(run, "done\n", lines=1)
        self.assertIn("ran nothing on a GPU", run.prof_lines[0])
        self.assertEqual([], run.traces())

    def test_by_hand(self):
        run = self.run_app("push a; malloc 5; pop; out done; exit 7", status=7)
        self.assert_untouched(run, "done\n", lines=1)
        self.assertIn("nothing ran on a GPU: no trace was written", run.prof_lines[0])
        self.assertEqual([], run.traces())

    def test_the_first_process_with_work_gets_the_name(self):
        # A launcher that only looks at the devices, and two ranks.
        rank = f"env -u APP_COUNTS {APP} 'push in; launch z 3'"
        run = self.run_app(f'malloc; getter; run "{rank}; {rank}"; out done', "run")
        self.assertEqual("done\n", run.stdout)
        self.assertEqual(2, len(run.traces()), run.stderr)
        self.assertIn(self.trace_path, run.traces())
        for path in run.traces():
            self.assertEqual({"z": 3}, trace_db.Trace(path).kernels_by_name())

    def test_long_annotations_before_the_first_work(self):
        run = self.run_app(f"malloc; {self.ANNOTATE} sleep 1500; launch k 5")
        self.assert_counts(run)
        self.assertEqual(21000, run.trace().one("SELECT count(*) FROM range"))
        self.assertEqual([self.trace_path], run.traces())

    def test_long_annotations_without_any_work(self):
        run = self.run_app(f"malloc; {self.ANNOTATE} sleep 1500; out done", "run")
        self.assert_untouched(run, "done\n", lines=1)
        self.assertEqual(["counts.json"], os.listdir(self.folder))

    def test_a_copy_is_work(self):
        run = self.run_app("copy htod 64 2; set 64 3")
        self.assert_counts(run)

    def test_a_start_by_the_program_always_makes_a_file(self):
        run = self.run_app("prof_start one.db; prof_stop; prof_status", "none", app=LINKED_APP)
        self.assertIn("kernels 0 copies 0", run.stdout)
        self.assertEqual(
            "stop", trace_db.Trace(os.path.join(self.folder, "one.db")).meta()["ended"]
        )

    def test_killed_at_its_first_work(self):
        process = self.start_app(
            "malloc; ready; wait_line; launch k 3; sync; sleep 300; ready; wait_line"
        )
        self.assertEqual("ready\n", process.stdout.readline())
        time.sleep(1.2)
        self.assertFalse(os.path.exists(self.trace_path))
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertEqual("ready\n", process.stdout.readline())
        process.kill()
        process.wait()
        # The file came with the work, and says that it did not end.
        self.assertNotIn("ended", trace_db.Trace(self.trace_path, recover=True).meta())


class OneName(SystemTest):
    """Several runs, one name: nobody takes a file from somebody who is still writing it."""

    def start_run(self, *options, script):
        env = self.environment()
        env.pop("APP_COUNTS")
        process = subprocess.Popen(
            [PROF_RUN, *options, "-o", self.trace_path, "--", APP, script],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )
        self.addCleanup(self._end, process)
        return process

    def test_force_refuses_a_file_that_is_being_written(self):
        writer = self.start_run(
            script="launch k 600; sync; sleep 300; ready; wait_line; launch l 5"
        )
        self.assertEqual("ready\n", writer.stdout.readline())
        for options in (("--force",), ()):
            done = subprocess.run(
                [PROF_RUN, *options, "-o", self.trace_path, "--", APP, "launch other 5"],
                env=self.environment(),
                capture_output=True,
                text=True,
            )
            self.assertEqual((1, ""), (done.returncode, done.stdout))
            self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
            self.assertRegex(done.stderr, "trace.db: is being written by process [0-9]+")
        _, errors = writer.communicate("\n", timeout=30)
        self.assertIn("605 kernels, 0 copies, 0 lost", errors)
        self.assertEqual({"k": 600, "l": 5}, trace_db.Trace(self.trace_path).kernels_by_name())

    def test_two_forced_runs_at_once(self):
        for i in range(15):
            with self.subTest(i):
                names = ("one", "two")
                runs = [
                    self.start_run("--force", script=f"launch {name} 40; sleep 400; exit 3")
                    for name in names
                ]
                said = [run.communicate(timeout=60)[1] for run in runs]
                # One that came so late that the other was writing already is refused in a line.
                ran = [name for name, run in zip(names, runs) if run.returncode == 3]
                self.assertTrue(ran, said)
                for run, line in zip(runs, said):
                    self.assertTrue(run.returncode == 3 or "is being written" in line, said)
                found = {}
                for name in os.listdir(self.folder):
                    if name.endswith(".db"):
                        path = os.path.join(self.folder, name)
                        found.update(trace_db.Trace(path).kernels_by_name())
                        os.remove(path)
                self.assertEqual({name: 40 for name in ran}, found, said)

    def test_an_earlier_trace_is_replaced_by_force_alone(self):
        self.run_app("launch a 4", "run")
        done = subprocess.run(
            [PROF_RUN, "-o", self.trace_path, "--", APP, "launch b"],
            env=self.environment(),
            capture_output=True,
            text=True,
        )
        self.assertEqual(1, done.returncode)
        self.assertEqual({"a": 4}, trace_db.Trace(self.trace_path).kernels_by_name())
        self.assert_counts(self.run_app("launch a 5", "run", options=["--force"]))

    def prof_run(self, *arguments):
        return subprocess.run(
            [PROF_RUN, *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            cwd=self.folder,
        )

    def test_words_that_people_try(self):
        done = self.prof_run("help")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertEqual(self.prof_run("--help").stdout, done.stdout)
        for words, hint in (
            (("-f",), "; -f is prof-report's --format; replace an existing output with --force"),
            (("--force-overwrite", "true"), "; did you mean '--force'?"),
            (("--ouput", "x.db"), "; did you mean '--output'?"),
            (("--qqqq",), "; see prof-run --help"),
        ):
            done = self.prof_run(*words, "-o", "trace.db", "--", APP, "launch a")
            self.assertEqual(
                (2, f"prof-run: unknown option '{words[0]}'{hint}\n"),
                (done.returncode, done.stderr),
            )

    def test_python_packages_come_last(self):
        show = ["sh", "-c", "echo $PYTHONPATH"]
        packages = os.path.join(BUILD, "share", "prof", "python")
        self.assertEqual(packages, self.prof_run(*show).stdout.strip())
        done = subprocess.run(
            [PROF_RUN, *show],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment(PYTHONPATH="/own"),
        )
        self.assertEqual("/own:" + packages, done.stdout.strip())

    def test_force_keeps_the_old_files_until_there_are_new_ones(self):
        both = ("--force", "-o", "trace.db", "--stream", "text.jsonl")
        self.assertEqual(0, self.prof_run(*both, "--", APP, "launch old 4").returncode)
        text = os.path.join(self.folder, "text.jsonl")
        for command, status in (
            (["/no/such/program"], 127),
            (["/bin/false"], 1),
            ([APP, "malloc; exit 5"], 5),
        ):
            done = self.prof_run(*both, "--", *command)
            self.assertEqual(status, done.returncode, done.stderr)
            self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
            self.assertEqual({"old": 4}, trace_db.Trace(self.trace_path).kernels_by_name())
            self.assertGreater(os.path.getsize(text), 1000)
        # Nor is it given up for a stream that cannot be.
        self.assertEqual(
            1,
            self.prof_run(
                "--force", "-o", "trace.db", "--stream", "none/s.jsonl", "--", APP, "launch new 5"
            ).returncode,
        )
        self.assertEqual({"old": 4}, trace_db.Trace(self.trace_path).kernels_by_name())
        self.assertEqual(0, self.prof_run(*both, "--", APP, "launch new 5").returncode)
        self.assertEqual({"new": 5}, trace_db.Trace(self.trace_path).kernels_by_name())
        self.assertEqual({"counts.json", "trace.db", "text.jsonl"}, set(os.listdir(self.folder)))

    def test_force_replaces_the_old_file_once_in_a_run(self):
        self.prof_run("-o", "trace.db", "--", APP, "launch old 4")
        done = self.prof_run(
            "--force",
            "-o",
            "trace.db",
            "--",
            "sh",
            "-c",
            f"{APP} 'launch one 3'; {APP} 'launch two 5'",
        )
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({"one": 3}, trace_db.Trace(self.trace_path).kernels_by_name())
        others = [
            name for name in os.listdir(self.folder) if name.endswith(".db") and name != "trace.db"
        ]
        self.assertEqual(1, len(others), done.stderr)

    def test_one_name_for_two_files(self):
        done = self.prof_run(
            "-o", "trace.db", "--stream", "./trace.db", "--", APP, "launch a; exit 7"
        )
        self.assertEqual((1, 1), (done.returncode, len(done.stderr.splitlines())), done.stderr)
        self.assertIn("both -o and --stream", done.stderr)

    def test_no_trace_under_a_name_with_placeholders(self):
        done = self.prof_run("-o", "t-%p.db", "--", APP, "malloc; exit 7")
        self.assertEqual((7, 1), (done.returncode, len(done.stderr.splitlines())), done.stderr)
        self.assertIn("no trace was written", done.stderr)
        done = self.prof_run("-q", "-o", "t-%p.db", "--", APP, "launch a; exit 7")
        self.assertEqual((7, ""), (done.returncode, done.stderr))


class ClosingLine(SystemTest):
    def closing(self, run):
        found = [line for line in run.prof_lines if "wrote" in line]
        self.assertEqual(1, len(found), run.stderr)
        numbers = re.search(
            r"(\d+) kernels?, (\d+) cop(?:y|ies),(?: (\d+) sets?,)? (\d+) lost; ", found[0]
        )
        self.assertIsNotNone(numbers, found[0])
        return [int(number or 0) for number in numbers.groups()]

    def test_says_what_the_file_holds_where_the_disk_is_full(self):
        run = self.run_app(
            "limit_file 600000; launches 3000 10; sync; sleep 1500; launches 100000 10; copy htod 4 10; out done; exit 7",
            status=7,
        )
        kernels, copies, _, lost = self.closing(run)
        trace = trace_db.Trace(self.trace_path, recover=True)
        self.assertEqual(
            (kernels, copies), (trace.kernel_count(), trace.one("SELECT count(*) FROM memcpy"))
        )
        self.assertGreater(kernels, 0)
        self.assertLess(kernels, 103000)
        # Each launch is a call and a kernel; every one is in the file or counted.
        calls = trace.one("SELECT count(*) FROM api_call")
        self.assertGreaterEqual(lost + kernels + calls + copies, 2 * 103000 + 20)

    def test_a_file_that_is_removed_meanwhile(self):
        for name, change in (
            ("removed", "rm trace.db"),
            ("replaced", "echo mine > x; mv x trace.db"),
        ):
            with self.subTest(name):
                run = self.run_app(
                    f'launch k 600; sync; sleep 1500; run "{change}"; launch l 5; out done; exit 7',
                    status=7,
                )
                self.assertEqual(1, len(run.prof_lines), run.stderr)
                self.assertIn("there is no trace", run.prof_lines[0])
                self.assertIn("was removed while it was being written", run.prof_lines[0])
                lost = re.search(r"([0-9]+) records lost$", run.prof_lines[0])
                self.assertGreaterEqual(int(lost.group(1)), 1205)
                if name == "replaced":
                    with open(self.trace_path, encoding="ascii") as file:
                        self.assertEqual("mine\n", file.read())
                    os.remove(self.trace_path)

    def test_a_file_that_is_moved_meanwhile(self):
        run = self.run_app(
            'launch k 600; sync; sleep 1500; run "mv trace.db other.db; echo mine > trace.db"; launch l 5; exit 7',
            status=7,
        )
        self.assertEqual(1, len(run.prof_lines), run.stderr)
        self.assertIn(
            "605 kernels, 0 copies, 0 lost; the file was moved meanwhile", run.prof_lines[0]
        )
        self.assertEqual(
            {"k": 600, "l": 5},
            trace_db.Trace(os.path.join(self.folder, "other.db")).kernels_by_name(),
        )
        with open(self.trace_path, encoding="ascii") as file:
            self.assertEqual("mine\n", file.read())

    def test_a_text_form_that_is_removed_meanwhile(self):
        text = os.path.join(self.folder, "text.jsonl")
        run = self.run_app(
            f'launch k 600; sync; sleep 1500; run "rm {text}"; launch l 5; exit 7',
            status=7,
            PROF_STREAM=text,
        )
        self.assertEqual(2, len(run.prof_lines), run.stderr)
        self.assertIn("the text form is incomplete", run.prof_lines[0])
        self.assertEqual([605, 0, 0, 0], self.closing(run))

    def test_the_status_after_a_stop(self):
        run = self.run_app(
            "prof_start one.db; limit_file 400000; launches 50000 10; prof_stop; prof_status; exit 7",
            "none",
            app=LINKED_APP,
            status=7,
        )
        kernels = int(re.search(r"kernels (\d+)", run.stdout).group(1))
        self.assertEqual(
            trace_db.Trace(os.path.join(self.folder, "one.db"), recover=True).kernel_count(),
            kernels,
        )
        self.assertLess(kernels, 50000)

    def test_a_tiny_disk_is_left_empty(self):
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
            self.skipTest("SKIPPED: unshare -rm is not allowed here, so a small disk cannot be had")
        small = os.path.join(self.folder, "small")
        os.mkdir(small)
        env = self.environment(PROF_OUTPUT=os.path.join(small, "x.db"), PROF_RUN_ID="1-1")
        done = subprocess.run(
            [
                "unshare",
                "-rm",
                "sh",
                "-c",
                f"mount -t tmpfs -o size=16k none {small} && (LD_PRELOAD={INJECT} {APP} "
                f"'launch k 300; out done; exit 7'; status=$?; ls -a {small} | wc -l; exit $status)",
            ],
            env=env,
            capture_output=True,
            text=True,
        )
        self.assertEqual((7, ["done", "2"]), (done.returncode, done.stdout.split()), done.stderr)
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
        self.assertIn("there is no trace", done.stderr)


if __name__ == "__main__":
    main()
