# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The two kinds of machines: the stand-in driver and CUPTI, and a real GPU. The same scripts run on
both, by script_app and odd_gpu. Before the import, PROF_BUILD_DIR names the build."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "system"))
import harness  # noqa: E402
import trace_db  # noqa: E402,F401

ADVERSARY = os.path.join(harness.BUILD, "tests", "adversary")


class Machine:
    def __init__(self, gpu, trace=""):
        self.trace = trace  # What the scenarios record that do not say it themselves (PROF_TRACE).
        self.kind = "gpu" if gpu else "standin"
        app = os.path.join(ADVERSARY, "odd_gpu") if gpu else harness.APP
        self.programs = {
            "script": app,
            "asan": os.path.join(os.path.dirname(harness.APP), "asan_app"),
        }
        self.plugin = os.path.join(ADVERSARY, "libodd_plugin.so")
        self.bad_disk = os.path.join(ADVERSARY, "libbad_disk.so")

    def missing(self):
        """Why no scenario can run here, or ""."""
        for path in (
            self.programs["script"],
            harness.INJECT,
            harness.PROF_RUN,
            harness.PROF_REPORT,
        ):
            if not os.path.exists(path):
                return f"{path} is missing: build first, and name the build with --build"
        if self.kind == "gpu":
            try:
                found = subprocess.run(["nvidia-smi", "-L"], capture_output=True)
            except OSError:
                return "no GPU (there is no nvidia-smi)"
            if found.returncode != 0:
                return "no GPU (nvidia-smi finds none)"
        return ""

    def environment(self, folder):
        env = harness.standin_environment(folder)
        if self.kind == "gpu":
            env["LD_LIBRARY_PATH"] = ":".join(
                filter(
                    None,
                    (
                        os.path.join(harness.BUILD, "lib"),
                        os.environ.get("LD_LIBRARY_PATH"),
                        "/usr/local/cuda/lib64",
                        "/usr/local/cuda/extras/CUPTI/lib64",
                    ),
                )
            )
            if "CUDA_VISIBLE_DEVICES" in os.environ:
                env["CUDA_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
        if self.trace:
            env["PROF_TRACE"] = self.trace
        del env["APP_COUNTS"]
        return env


def needs_root(_machine):
    return "" if os.geteuid() == 0 else "only root can do this"


def needs_other_user(machine):
    """Another user can be had, and may read the build."""
    if os.geteuid() != 0:
        return "only root can start a program as another user"
    test = f'test -x "{machine.programs["script"]}" && test -r "{harness.INJECT}"'
    done = subprocess.run(
        ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups", "sh", "-c", test],
        capture_output=True,
    )
    why = "another user cannot be had, or may not read the build folder"
    return "" if done.returncode == 0 else why


def needs_mount(_machine):
    mount = "mount -t tmpfs -o size=1m none /mnt"
    done = subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True)
    return "" if done.returncode == 0 else "a mount namespace (unshare -rm) is not allowed here"
