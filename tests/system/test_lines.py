#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Our lines on stderr: only where stderr still is what it was when we were loaded, and never at the
program's cost, whatever stderr is."""
import fcntl
import os
import pty
import re
import socket
import subprocess
import termios
import time

from harness import APP, LINKED_APP, SystemTest, main

CLOSING = re.compile(
    rb"prof: wrote (\S+trace\.db): 3 kernels, 0 copies, 0 lost; "
    rb"see prof-report -r summary \1\r?\n"
)


class LinesTest(SystemTest):
    def launch(self, script, stderr, door="preload", app=APP, timeout=30, **options):
        """Runs the script with that stderr; the exit status."""
        extra = options.pop("extra", {})
        env = self.environment(PROF_FORCE="1", **extra)
        command = self.command(script, door, env, ["--force"] if door == "run" else [], app)
        return subprocess.run(
            command,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            timeout=timeout,
            cwd=self.folder,
            **options,
        ).returncode

    def pipe(self):
        ends = os.pipe()
        for end in ends:
            self.addCleanup(self.close, end)
        return ends

    @staticmethod
    def close(descriptor):
        try:
            os.close(descriptor)
        except OSError:
            pass

    def data(self):
        with open(os.path.join(self.folder, "data.bin"), "rb") as file:
            return file.read()


class ForeignDescriptor(LinesTest):
    """A program that has a file of its own as descriptor 2."""

    def check(self, script, **options):
        for door in ("preload", "run"):
            with self.subTest(door=door):
                run = self.run_app(
                    script,
                    door,
                    status=7,
                    options=["--force"] if door == "run" else (),
                    PROF_FORCE="1",
                    **options,
                )
                self.assertEqual(b"", self.data())
                self.assertEqual([], run.prof_lines)

    def test_before_cuda(self):
        self.check("replace 2 data.bin; launch k 3; exit 7")

    def test_after_cuda(self):
        self.check("launch k 3; replace 2 data.bin; exit 7")

    def test_quick_exit(self):
        self.check("launch k 3; replace 2 data.bin; quick_exit 7")

    def test_what_the_collector_has_to_complain_about(self):
        self.check("replace 2 data.bin; launch k 3; exit 7", PROF_API="nonsense")

    def test_errors_of_cupti(self):
        self.check("replace 2 data.bin; launch k 500; exit 7", STANDIN_CUPTI_FAIL="fatal_midway")

    def test_in_a_forked_child(self):
        self.run_app("fork { replace 2 data.bin; launch k 3; } exit 7", status=7)
        self.assertEqual(b"", self.data())

    def test_closed_only(self):
        self.run_app("launch k 3; close 2; exit 7", status=7)

    def test_linked(self):
        # The collector comes with prof_start(); what stderr was is known from the program's start.
        for first in ("", "push a; "):
            self.run_app(
                first
                + "replace 2 data.bin; "
                + first
                + "prof_start one.db verbose force; launch k 3; prof_stop; exit 7",
                "none",
                status=7,
                app=LINKED_APP,
            )
            self.assertEqual(b"", self.data())

    def test_linked_lines_reach_stderr(self):
        run = self.run_app(
            "prof_start one.db verbose; launch k 3; prof_stop; exit 7",
            "none",
            status=7,
            app=LINKED_APP,
        )
        self.assertEqual(1, len(run.prof_lines), run.stderr)

    def test_no_duplicate_is_kept(self):
        # Whoever waits for the end of stderr, as $(daemon 2>&1) does, waits for no descriptor of
        # ours.
        process = self.start_app("launch k 3; ready; wait_line; exit 7")
        self.assertEqual("ready\n", process.stdout.readline())
        folder = f"/proc/{process.pid}/fd"
        links = {name: os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)}
        self.assertEqual(["2"], [name for name, link in links.items() if link == links["2"]])
        process.communicate("\n", timeout=30)
        self.assertEqual(7, process.returncode)


class Unwritable(LinesTest):
    """stderr takes nothing any more. The program ends as it would without us, and in time."""

    WORK = "launch k 3; exit 7"

    def test_nobody_reads(self):
        for door in ("preload", "run"):
            with self.subTest(door=door):
                reader, writer = self.pipe()
                os.close(reader)
                self.assertEqual(7, self.launch(self.WORK, writer, door))

    def test_nobody_reads_the_socket(self):
        ours, its = socket.socketpair()
        with its:
            ours.close()
            self.assertEqual(7, self.launch(self.WORK, its))

    def test_the_programs_handler_is_not_called(self):
        # Of prof_stop(), so that the program can look afterwards.
        reader, writer = self.pipe()
        os.close(reader)
        script = "catch 13; prof_start one.db verbose force; launch k; prof_stop; expect_signals 0; exit 7"
        self.assertEqual(7, self.launch(script, writer, "none", app=LINKED_APP))

    def test_file_at_its_limit(self):
        limit = 16 << 20
        path = os.path.join(self.folder, "stderr.txt")
        for door in ("preload", "run"):
            with self.subTest(door=door), open(path, "wb") as file:
                file.truncate(limit)
                file.seek(limit)
                self.assertEqual(7, self.launch(f"limit_file {limit}; " + self.WORK, file, door))
        with open(path, "wb") as file:
            file.truncate(limit - 20)
            file.seek(limit - 20)
            self.assertEqual(7, self.launch(f"limit_file {limit}; " + self.WORK, file))
        with open(path, "rb") as file:
            file.seek(limit - 20)
            self.assertTrue(file.read().startswith(b"prof: wrote "))

    def check_full(self, writer, **options):
        start = time.monotonic()
        self.assertEqual(7, self.launch("fill 2; launch k 3; exit 7", writer, **options))
        self.assertLess(time.monotonic() - start, 10)

    def test_full_pipe(self):
        _, writer = self.pipe()
        self.check_full(writer)

    def test_full_pipe_that_does_not_block(self):
        _, writer = self.pipe()
        os.set_blocking(writer, False)
        self.check_full(writer)

    def test_full_socket(self):
        ours, its = socket.socketpair()
        with ours, its:
            self.check_full(its)

    def test_many_lines_wait_once(self):
        # CUPTI may complain once for each of many launches.
        _, writer = self.pipe()
        start = time.monotonic()
        script = (
            "fill 2; "
            + "".join(f"prof_start s{i}.db verbose; launch k; prof_stop; " for i in range(20))
            + "exit 7"
        )
        self.assertEqual(
            7, self.launch(script, writer, "none", app=LINKED_APP, extra={"PROF_API": "nonsense"})
        )
        self.assertLess(time.monotonic() - start, 5)


class Kinds(LinesTest):
    """Whatever stderr is, the line arrives whole."""

    WORK = "launch k 3; exit 7"

    def test_file(self):
        path = os.path.join(self.folder, "stderr.txt")
        with open(path, "wb") as file:
            self.assertEqual(7, self.launch(self.WORK, file))
        with open(path, "rb") as file:
            self.assertRegex(file.read(), CLOSING)

    def test_socket(self):
        ours, its = socket.socketpair()
        with ours:
            with its:
                self.assertEqual(7, self.launch(self.WORK, its))
            self.assertRegex(ours.recv(65536), CLOSING)

    def test_pipe_that_is_read_late(self):
        reader, writer = self.pipe()
        process = subprocess.Popen(
            ["sh", "-c", "sleep 0.1; cat"], stdin=reader, stdout=subprocess.PIPE
        )
        with process:
            os.close(reader)
            self.assertEqual(7, self.launch("fill 2; " + self.WORK, writer))
            os.close(writer)
            self.assertIn(b"prof: wrote ", process.stdout.read())

    def test_long_line_is_cut(self):
        # One write of at most PIPE_BUF, so that it neither blocks nor mixes with other lines.
        reader, writer = self.pipe()
        value = "\u00e4" * 6000
        self.assertEqual(7, self.launch(self.WORK, writer, extra={"PROF_API": value}))
        os.close(writer)
        with os.fdopen(reader, "rb", closefd=False) as file:
            first, second = file.read().splitlines(keepends=True)
        self.assertLessEqual(len(first), 4096)
        self.assertTrue(first.decode().startswith("prof: PROF_API=\u00e4\u00e4"))
        self.assertTrue(first.decode().endswith("\u00e4...\n"))
        self.assertRegex(second, CLOSING)

    def test_terminal_that_stops_background_writers(self):
        # stty tostop: SIGTTOU would stop the program for ever.
        master, slave = pty.openpty()
        self.addCleanup(self.close, master)
        self.addCleanup(self.close, slave)
        attributes = termios.tcgetattr(slave)
        attributes[3] |= termios.TOSTOP
        termios.tcsetattr(slave, termios.TCSANOW, attributes)
        env = self.environment(PROF_OUTPUT=self.trace_path)
        command = self.command(self.WORK, "preload", env, [], APP)
        # A session of its own on that terminal, in which the program's group is not the one in
        # front.
        pid = os.fork()
        if pid == 0:
            status = 99
            try:
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                child = subprocess.Popen(
                    command,
                    env=env,
                    stdout=subprocess.DEVNULL,
                    stderr=slave,
                    cwd=self.folder,
                    preexec_fn=lambda: os.setpgid(0, 0),
                )
                status = child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
            finally:
                os._exit(status % 256)
        self.assertEqual(7, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        self.assertRegex(os.read(master, 4096), CLOSING)


if __name__ == "__main__":
    main()
