#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Says how many small mistakes in the analyzers the analyzers' tests notice.

    tests/mutation/mutate.py BUILD_DIR [--sample N] [--seed N] [--folders dialects,facts,...]

Makes one mistake at a time in a source file (another comparison, a constant plus 1, a condition
negated, a line left out), builds the tests, runs them and puts the file back. Mistakes that do not
compile are not counted. Prints a table, and the mistakes that no test noticed. Run it by hand, in
a clone of its own: the sources change while it runs.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys

FOLDERS = "dialects,facts,stacks,links,graphs,cost,ops"
TARGETS = ["analyzers_test", "analyzers_cases"]
COMPARISONS = {"==": "!=", "!=": "==", "<": "<=", ">": ">=", "<=": "<", ">=": ">"}


def comparison(line):
    """Another comparison in place of the first."""
    match = re.search(r" (==|!=|<=|>=|<|>) ", line)
    if not match or "template" in line:
        return None
    return line[: match.start(1)] + COMPARISONS[match.group(1)] + line[match.end(1) :]


def constant(line):
    """The first whole number plus 1."""
    match = re.search(r"(?<![\w.\"'])\d+(?![\w.\"'])", line)
    if not match or '"' in line:  # texts of examples and notes
        return None
    return line[: match.start()] + str(int(match.group()) + 1) + line[match.end() :]


def condition(line):
    """The opposite of an `if` on one line."""
    end = r"\)(?: \{| return .*;| continue;| break;)"
    match = re.match(r"(\s*(?:} else )?if \()([^;]*)(" + end + ")$", line)
    return f"{match.group(1)}!({match.group(2)}){match.group(3)}" if match else None


def left_out(line):
    """Nothing in place of a statement on one line."""
    is_statement = re.match(r"\s+[\w.\[\]>-]+(?:\(.*\)| \|?&?\+?= .*);$", line)
    return "" if is_statement and "return" not in line else None


NO_CODE = ("//", "#include", "namespace", "using", "static_assert")
RULES = [comparison, constant, condition, left_out]


def mutants(root, folders):
    """(folder, file, line index, rule, new line) of every possible mistake."""
    for folder in folders:
        for file in sorted((root / "analyzers" / folder).glob("*.cpp")):
            for index, line in enumerate(file.read_text().splitlines()):
                if line.lstrip().startswith(NO_CODE):
                    continue
                for rule in RULES:
                    changed = rule(line)
                    if changed is not None:
                        yield folder, file, index, rule.__name__, changed


def run(command, seconds):
    """The exit code; None: it took too long."""
    try:
        return subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds
        ).returncode
    except subprocess.TimeoutExpired:
        return None


def outcome(build):
    """ "uncompiled", "caught" or "survived"."""
    if run(["ninja", "-C", str(build), *TARGETS], 1200) != 0:
        return "uncompiled"
    tests = ["ctest", "--test-dir", str(build), "-R", "^analyzers_(test|cases)", "--timeout", "120"]
    return "survived" if run(tests, 900) == 0 else "caught"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--sample", type=int, default=40, help="mistakes that compile")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folders", default=FOLDERS)
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    folders = arguments.folders.split(",")
    found = list(mutants(root, folders))
    # As many of each folder as of any other, whatever their sizes.
    shuffled = random.Random(arguments.seed)
    queues = {folder: [one for one in found if one[0] == folder] for folder in folders}
    for queue in queues.values():
        shuffled.shuffle(queue)
    if outcome(arguments.build) != "survived":
        sys.exit("mutate.py: the tests fail without a mistake, or do not compile")
    counts = {folder: {"caught": 0, "survived": 0} for folder in folders}
    survivors = []
    done = 0
    while done < arguments.sample and any(queues.values()):
        folder = min((f for f in folders if queues[f]), key=lambda f: sum(counts[f].values()))
        _, file, index, rule, changed = queues[folder].pop()
        before = file.read_text()
        lines = before.splitlines(keepends=True)
        old, lines[index] = lines[index], changed + "\n"
        try:
            file.write_text("".join(lines))
            result = outcome(arguments.build)
        finally:
            file.write_text(before)
        if result == "uncompiled":
            continue
        done += 1
        counts[folder][result] += 1
        place = f"{file.relative_to(root)}:{index + 1}: {rule}"
        print(f"{result:8} {place}", flush=True)
        if result == "survived":
            survivors.append(f"{place}: {old.strip()}  ->  {changed.strip()}")
    print("\n| folder | caught | survived |\n|---|---|---|")
    for folder, count in counts.items():
        print(f"| {folder} | {count['caught']} | {count['survived']} |")
    print(f"| all | {done - len(survivors)} | {len(survivors)} |\n")
    print("\n".join(survivors))


if __name__ == "__main__":
    main()
