#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the job `compare` in docs/examples/prof.yml, as GitHub does, on made traces: equal, slower,
of another GPU, and of too few steps. The commands of docs/ci.md are check_commands.py's.

usage: check_ci_example.py --bin DIR --source DIR
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import golden_options

SLOWER = "rank=0,kind=gpu,ms=0.4,layer=h.1:mlp:c_fc,op=linear,dir=bprop"
TRACES = {
    "base": ["--seed", "1"],
    "same": ["--seed", "2"],
    "slower": ["--seed", "3", "--cause", SLOWER],
    "short": ["--seed", "4", "--steps", "1"],
}
# Step of the job, and the status with which it ends; None: it does not run.
CASES = {
    "base": {"Begin with a base": 0, "Refuse another GPU": 0, "Compare": 0},
    "no base": {"Begin with a base": 1, "Refuse another GPU": None, "Compare": None},
    "same": {"Refuse another GPU": 0, "Compare": 0},
    "slower": {"Refuse another GPU": 0, "Compare": 3},
    "other": {"Refuse another GPU": 1, "Compare": None},
    "short": {"Refuse another GPU": 0, "Compare": 4},
}


def steps_of(workflow):
    """Name, condition and commands of the steps of job `compare` that have commands; its env. The file is plain
    enough to be read without a YAML library."""
    job = re.search(r"^  compare:\n((?:    .*\n|\n)+)", workflow, re.M).group(1)
    env = dict(re.findall(r"^      (\w+): (.*)$", job.partition("    steps:\n")[0], re.M))
    steps = []
    for step in re.split(r"^      - ", job, flags=re.M)[1:]:
        name = re.match(r"name: (.*)\n", step)
        commands = re.search(r"^        run: \|\n((?:          .*\n|\n)+)", step, re.M)
        condition = re.search(r"^        if: (.*)\n", step, re.M)
        if commands:
            steps.append(
                (
                    name.group(1),
                    condition and condition.group(1),
                    re.sub("^          ", "", commands.group(1), flags=re.M),
                )
            )
    return steps, env


def run_job(steps, folder, environment):
    """The status of each step that runs; what they print; the job's summary."""
    statuses, printed, failed = {}, "", False
    (folder / "summary.md").touch()
    for name, condition, commands in steps:
        if name == "Install" or (failed and condition != "always()"):
            continue
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", commands],
            cwd=folder,
            env=environment | {"GITHUB_STEP_SUMMARY": str(folder / "summary.md")},
            capture_output=True,
            text=True,
            check=False,
        )
        statuses[name] = done.returncode
        printed += done.stdout + done.stderr
        failed = failed or done.returncode != 0
    return statuses, printed, (folder / "summary.md").read_text()


def make_traces(options, folder):
    source = options.source.resolve()

    def make(name):
        subprocess.run(
            [
                sys.executable,
                "-B",
                source / "tests/bench/make_ranks.py",
                folder / name,
                "--ranks",
                "1",
                "--steps",
                "20",
                "--bin",
                options.bin.resolve(),
                "--processes",
                "1",
                *TRACES[name],
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return folder / name / "rank0.db"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = dict(zip(TRACES, pool.map(make, TRACES)))
    made["other"] = folder / "other.db"
    shutil.copyfile(made["same"], made["other"])
    with sqlite3.connect(made["other"]) as trace:
        trace.execute("UPDATE device SET name = 'NVIDIA A100'")
    trace.close()
    return made


def problems_of(case, statuses, printed, summary, folder):
    for name, status in CASES[case].items():
        if statuses.get(name) != status:
            yield f"{case}: {name} has status {statuses.get(name)}, not {status}: {printed}"
    if case not in ("other", "no base") and "| period |" not in summary:
        yield f"{case}: the summary has no period: {summary}"
    if ("| slower | h.1:mlp:c_fc | linear |" in summary) != (case == "slower"):
        yield f"{case}: the summary has no op that is slower, or one that is not: {summary}"
    if (
        case == "other"
        and "::error::the GPUs differ: base: NVIDIA H200, new: NVIDIA A100" not in printed
    ):
        yield f"{case}: {printed}"
    if case != "no base":
        is_new = (folder / "base/1.db").read_bytes() == (folder / "new/1.db").read_bytes()
        if is_new != (case == "base"):
            yield f"{case}: the base is{'' if is_new else ' not'} the new trace"


def status_without_reader(options, made):
    """Of a comparison whose output nobody takes, as in a pipe to head."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [
            options.bin.resolve() / "prof-report",
            "-r",
            "diff",
            "--fail-above",
            "5",
            "-f",
            "json",
            made["base"],
            made["slower"],
        ],
        stdout=writer,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    os.close(writer)
    return done.returncode


def main():
    options = golden_options.parser_of(__doc__).parse_args()
    workflow = (options.source / "docs/examples/prof.yml").read_text()
    steps, env = steps_of(workflow)
    problems = [] if len(steps) >= 5 else [f"only {len(steps)} steps with commands were found"]
    if "shell: bash" not in workflow:  # With which GitHub adds what run_job() does.
        problems.append("without shell: bash, pipes hide failures")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = golden_options.environment(options.bin.resolve(), path="/usr/bin:/bin") | env
        made = make_traces(options, folder)
        for case in CASES:
            job = folder / f"job {case}"
            (job / "new").mkdir(parents=True)
            shutil.copyfile(made["same" if case == "no base" else case], job / "new/1.db")
            environment["GITHUB_REF"] = (
                "refs/pull/1/merge" if case == "no base" else "refs/heads/main"
            )
            if case not in ("base", "no base"):
                (job / "base").mkdir()
                shutil.copyfile(made["base"], job / "base/1.db")
            problems += problems_of(case, *run_job(steps, job, environment), job)
        if (status := status_without_reader(options, made)) != 3:
            problems.append(
                f"without a reader of its output, diff --fail-above has status {status}, not 3"
            )
    for problem in problems:
        print(problem)
    print(f"{len(CASES)} jobs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
