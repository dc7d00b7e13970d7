#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""prof-run --pid against a process that takes commands as a profiled one does."""
import os
import stat
import subprocess

from harness import BUILD, PROF_RUN, SystemTest, main

SERVER = os.path.join(BUILD, "tests", "system", "control_server")


class ControlTest(SystemTest):
    def start(self, kind="window", **extra):
        """A process that listens; its socket is the first line it prints."""
        env = {**self.environment(None), "XDG_RUNTIME_DIR": self.folder, **extra}
        server = subprocess.Popen(
            [SERVER, kind],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self._end, server)
        self.addCleanup(self._let_end, server)
        server.socket = server.stdout.readline().strip()
        return server

    @staticmethod
    def _let_end(server):
        """It removes its socket, also the one in /tmp."""
        server.stdin.close()
        server.wait(timeout=30)

    def steer(self, *arguments, timeout=100, **extra):
        env = {**self.environment(None), "XDG_RUNTIME_DIR": self.folder, **extra}
        done = subprocess.run(
            [PROF_RUN, *map(str, arguments)],
            env=env,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=self.folder,
        )
        self.assertLessEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.returncode, done.stdout, done.stderr

    def refusal(self, *arguments, **extra):
        code, out, err = self.steer(*arguments, **extra)
        self.assertEqual((1, ""), (code, out), err)
        return err


class Commands(ControlTest):
    def test_each_command(self):
        server = self.start()
        self.assertEqual(os.path.join(self.folder, "prof", f"{server.pid}.sock"), server.socket)
        said = [
            ("status", "closed\n0 kernels\n"),
            ("start", "window 1 is open\n"),
            ("status", "open\n3 kernels\n"),
            ("flush", ""),
            ("stop", "window 1 is closed: 3 kernels\n"),
        ]
        for word, answer in said:
            self.assertEqual((0, answer, ""), self.steer("--pid", server.pid, word))
        self.assertEqual(
            f"prof-run: process {server.pid}: no window is open\n",
            self.refusal(f"--pid={server.pid}", "stop"),
        )
        server.stdin.close()
        self.assertEqual(0, server.wait(timeout=10))
        self.assertEqual([word for word, _ in said] + ["stop"], server.stdout.read().split())
        self.assertFalse(os.path.exists(server.socket))
        self.assertEqual(
            f"prof-run: there is no process {server.pid}\n",
            self.refusal("--pid", server.pid, "stop"),
        )

    def test_the_folders_are_private(self):
        server = self.start()
        folder = os.path.dirname(server.socket)
        self.assertEqual(0o700, stat.S_IMODE(os.stat(folder).st_mode))
        self.assertEqual(0o600, stat.S_IMODE(os.stat(server.socket).st_mode))

    def test_without_the_variable_it_is_found_in_tmp(self):
        server = self.start(XDG_RUNTIME_DIR="")
        self.assertEqual(f"/tmp/prof-{os.geteuid()}/{server.pid}.sock", server.socket)
        # The variable of the one who asks does not matter.
        self.assertEqual(0, self.steer("--pid", server.pid, "start")[0])
        self.assertEqual(0, self.steer("--pid", server.pid, "stop", XDG_RUNTIME_DIR="")[0])

    def test_answers_cannot_control_the_terminal(self):
        server = self.start("odd")
        self.assertEqual((0, "\\x1b[31mred\\x07\n", ""), self.steer("--pid", server.pid, "status"))

    def test_a_reader_that_is_gone(self):
        server = self.start()
        ends = os.pipe()
        os.close(ends[0])
        env = {**self.environment(None), "XDG_RUNTIME_DIR": self.folder}
        done = subprocess.run(
            [PROF_RUN, "--pid", str(server.pid), "status"],
            env=env,
            stdout=ends[1],
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
        os.close(ends[1])
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_stopping_may_take_long(self):
        server = self.start("slow")
        code, _, err = self.steer("--pid", server.pid, "stop")  # More than 10 s.
        self.assertEqual((1, f"prof-run: process {server.pid}: no window is open\n"), (code, err))


class Refusals(ControlTest):
    def test_a_process_that_takes_no_commands(self):
        pid = os.getpid()
        self.assertEqual(
            f"prof-run: process {pid} takes no commands: start it with prof-run "
            "--capture control\n",
            self.refusal("--pid", pid, "start"),
        )

    def test_no_answer(self):
        server = self.start("mute")
        self.assertEqual(
            f"prof-run: process {server.pid} does not answer within 10 s\n",
            self.refusal("--pid", server.pid, "status"),
        )

    def test_an_answer_that_is_none(self):
        server = self.start("junk")
        self.assertEqual(
            f"prof-run: process {server.pid} gave an answer that this prof-run does "
            "not understand\n",
            self.refusal("--pid", server.pid, "status"),
        )

    def test_it_dies(self):
        server = self.start("dies")
        err = self.refusal("--pid", server.pid, "stop")
        self.assertRegex(err, "ended before it answered|closed the connection without an answer")
        server.wait(timeout=10)
        # Its socket is still there, and the next one of this user removes it.
        self.assertTrue(os.path.exists(server.socket))
        self.start()
        self.assertFalse(os.path.exists(server.socket))

    def test_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("SKIPPED: not root, so no other user")
        server = self.start(XDG_RUNTIME_DIR="")
        env = {**self.environment(None), "XDG_RUNTIME_DIR": ""}
        os.chmod(self.folder, 0o755)
        done = subprocess.run(
            [PROF_RUN, "--pid", str(server.pid), "stop"],
            env=env,
            user=65534,
            group=65534,
            extra_groups=[],
            capture_output=True,
            text=True,
            timeout=60,
            cwd="/",
        )
        self.assertEqual(
            (
                1,
                f"prof-run: process {server.pid} belongs to user 0: only that user "
                "may steer it\n",
            ),
            (done.returncode, done.stderr),
        )

    def test_the_folder_is_not_private(self):
        os.mkdir(os.path.join(self.folder, "prof"), 0o755)
        server = self.start()
        self.assertEqual(1, server.wait(timeout=10))
        self.assertIn("has the permissions 0755", server.stderr.read())


class Usage(ControlTest):
    def test_wrong_usage_is_one_line(self):
        pid = str(os.getpid())
        for arguments, words in (
            (("--pid", pid), "start, stop, flush or status expected"),
            (("--pid", pid, "strat"), "strat: not understood"),
            (("--pid", pid, "--", "stop"), "start, stop, flush or status expected"),
            (("--pid", pid, "stop", "now"), "one command is expected"),
            (("-o", "x.db", "--pid", pid, "stop"), "cannot be combined with --output"),
            (("--pid", pid, "-q", "stop"), "cannot be combined with --quiet"),
            (("--pid", pid, "--api", "all", "stop"), "cannot be combined with --api"),
            (("--pid", pid, "--pid", pid, "stop"), "--pid"),
            (("--pid", "x", "stop"), "Value x not in range"),
            (("--pid", "0", "stop"), "Value 0 not in range"),
            (("--pid",), "--pid"),
        ):
            with self.subTest(arguments):
                code, out, err = self.steer(*arguments)
                self.assertEqual((2, ""), (code, out))
                self.assertIn(words, err)
                self.assertTrue(err.endswith("see prof-run --help\n"), err)


if __name__ == "__main__":
    main()
