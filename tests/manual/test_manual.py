#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Manual pages and completions of the programs: complete, well-formed, and what the shells offer.

usage: test_manual.py BUILD_DIR [unittest's options]

What a missing shell or groff leaves out is printed as SKIPPED.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from zsh_session import ZshSession

BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
SHARE = BUILD / "share" if BUILD else None
HERE = pathlib.Path(__file__).resolve().parent
OPTIONS_HEAD = (
    "<!-- Generated from the programs' options: PROF_UPDATE_DOCS=1 python3 -B "
    "tests/manual/test_manual.py build Files -->\n# Options\n"
)
BASH = "bash-completion/completions/{}"
ZSH = "zsh/site-functions/_{}"
FISH = "fish/vendor_completions.d/{}.fish"

# What is typed, and what must and must not be offered, in every shell.
OFFERS = (
    ("prof-report -r ke", {"kernels", "key_averages"}, {"layers"}),
    ("prof-report -r kernels,la", {"layers"}, {"ops"}),
    ("prof-report -r ns", {"nsys"}, set()),
    ("prof-report -c gr", {"grid", "graph_node"}, {"idx"}),
    ("prof-report -r layers -c layer,flo", {"flops", "flops_unknown"}, {"layer_time"}),
    ("prof-report -r sync --sort co", {"count"}, {"contradicts"}),
    ("prof-report --report=ops --by fam", {"family"}, set()),
    ("prof-report -r ops --by ti", {"tile"}, {"time_us"}),
    ("prof-report --format ", {"table", "markdown", "csv", "json"}, {"trace.db"}),
    ("prof-report --dir ", {"fprop", "bprop", "update"}, {"trace.db"}),
    ("prof-report --kind kernel,mem", {"memcpy", "memset"}, set()),
    ("prof-report --op conv --step ", {"last"}, {"trace.db"}),
    ("prof-report --to", {"--top"}, {"--save"}),
    ("prof-report --save tr", {"trace.db"}, set()),
    ("prof-run --api ", {"launch", "all", "none"}, {"trace.db"}),
    ("prof-run --trace no", {"no-device"}, set()),
    ("prof-run --pi", {"--pid"}, {"--quiet"}),
    ("prof-run -o x.db made-u", {"made-up-program"}, {"made-up-words.txt"}),
    ("prof-run --api=all made-up-program made-up-w", {"made-up-words.txt"}, {"made-up-program"}),
    ("prof-import --fo", {"--force"}, set()),
    ("prof-import made-up-w", {"made-up-words.txt"}, set()),
    ("prof-fleet top store --la", {"--layer", "--label"}, {"--limit"}),
)


def programs():
    return [path.name.removesuffix(".1") for path in sorted((SHARE / "man/man1").iterdir())]


def output_of(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{command}: {done.returncode}, {done.stderr}")
    return done.stdout


class ManualTest(unittest.TestCase):
    def need(self, program):
        found = shutil.which(program)
        if not found:
            print(f"SKIPPED: {self.id()}: no {program}", file=sys.stderr)
            self.skipTest(f"SKIPPED: no {program}")
        return found


class Files(ManualTest):
    def test_every_program_has_all_files(self):
        self.assertLessEqual({"prof-report", "prof-import"}, set(programs()))
        for program in programs():
            for form in (BASH, ZSH, FISH):
                self.assertTrue((SHARE / form.format(program)).is_file())

    def test_every_option_of_help_is_everywhere(self):
        for program in programs():
            options = re.findall(
                r"^  (-.*?)(?:  |:|$)", output_of(BUILD / "bin" / program, "--help"), re.M
            )
            self.assertLessEqual(3, len(options), program)
            flags = {flag for option in options for flag in re.findall(r"--?[a-z][a-z-]*", option)}
            page = (SHARE / f"man/man1/{program}.1").read_text().replace("\\", "")
            bash, zsh, fish = (
                (SHARE / form.format(program)).read_text() for form in (BASH, ZSH, FISH)
            )
            for flag in flags:
                with self.subTest(program=program, flag=flag):
                    self.assertIn(f"fB{flag}fR", page)
                    self.assertTrue(re.search(f"_one '([^']* )?{flag}[ ']", bash), "bash")
                    self.assertTrue(re.search(f"[ {{,']{flag}[=+,}}'\\[]", zsh), "zsh")
                    letter = "s" if len(flag) == 2 else "l"
                    self.assertIn(f" -{letter} {flag.lstrip('-')} ", fish)

    def test_every_report_has_its_columns_in_the_manual_page(self):
        page = (SHARE / "man/man1/prof-report.1").read_text()
        listed = json.loads(output_of(BUILD / "bin/prof-report", "--list", "-f", "json"))
        reports = [(one["report"], one["table"]) for one in listed if "report" in one]
        self.assertLess(20, len(reports))
        for name, columns in reports:
            entry = page.split(f".TP\n\\fB{name}\\fR\n")[1].split(".TP")[0].replace("\n", " ")
            words = set(re.findall(r"\w+", entry.split("Columns: ")[1]))
            self.assertLessEqual(set(columns), words, name)

    def test_the_page_of_options_is_what_the_programs_say(self):
        page = HERE.parent.parent / "docs/options.md"
        sections = [
            output_of(BUILD / "bin/prof-manual", program, "markdown")
            for program in ("prof-run", "prof-report", "prof-import", "prof-fleet")
            if program in programs()
        ]
        if "PROF_UPDATE_DOCS" in os.environ:
            self.assertEqual(4, len(sections), "build all programs first")
            page.write_text(OPTIONS_HEAD + "".join(sections))
        text = page.read_text()
        for section in (OPTIONS_HEAD, *sections):
            self.assertIn(
                section, text, "run this test with PROF_UPDATE_DOCS=1 and commit docs/options.md"
            )

    def test_groff_takes_the_pages(self):
        groff = self.need("groff")
        for program in programs():
            page = SHARE / f"man/man1/{program}.1"
            output_of(groff, "-man", "-Tutf8", "-ww", "-z", page)
            self.assertLess(max(len(line) for line in page.read_text().splitlines()), 100)

    def test_syntax(self):
        for shell, form in (("bash", BASH), ("zsh", ZSH), ("fish", FISH)):
            with self.subTest(shell):
                for program in programs():
                    output_of(self.need(shell), "-n", SHARE / form.format(program))


class Offers(ManualTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "bin").mkdir()
        for program in programs() + ["made-up-program"]:
            path = cls.folder / "bin" / program
            path.write_text("#!/bin/sh\n")
            path.chmod(0o755)
        for name in ("trace.db", "made-up-words.txt"):
            (cls.folder / name).touch()
        cls.environment = {
            "PATH": f"{cls.folder}/bin:{os.environ['PATH']}",
            "HOME": str(cls.folder),
            "TERM": "dumb",
            "LC_ALL": "C",
        }

    def check(self, offered):
        for line, wanted, unwanted in OFFERS:
            if line.split()[0] not in programs():
                continue
            with self.subTest(line):
                words = offered(line, wanted)
                self.assertLessEqual(wanted, words)
                self.assertFalse(unwanted & words, words)

    def bash(self, line, preamble=""):
        words = re.findall(r"=|[^\s=]+|(?<= )$", line)
        script = (
            preamble + 'source "$1"; function=$2; shift 2; COMP_WORDS=("$@"); '
            "COMP_CWORD=$(($# - 1)); $function; printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        program = words[0]
        printed = output_of(
            self.need("bash"),
            "-c",
            script,
            "bash",
            SHARE / BASH.format(program),
            "_" + program.replace("-", "_"),
            *words,
            env=self.environment,
            cwd=self.folder,
        )
        return {word.split(",")[-1] for word in printed.splitlines()}

    def test_bash(self):
        self.check(lambda line, _: self.bash(line))

    def test_bash_uses_bash_completion_for_the_command(self):
        if "prof-run" not in programs():
            self.skipTest("SKIPPED: no prof-run in this build")
        preamble = "_command_offset() { COMPREPLY=(offset-$1); };"
        self.assertEqual({"offset-3"}, self.bash("prof-run -o x.db ls -", preamble))
        self.assertEqual({"offset-4"}, self.bash("prof-run --api = all ls -", preamble))
        self.assertEqual({"offset-2"}, self.bash("prof-run -- l", preamble))

    def test_fish(self):
        fish = self.need("fish")
        sources = "; ".join(f"source {SHARE / FISH.format(program)}" for program in programs())

        def offered(line, _):
            printed = output_of(
                fish,
                "--no-config",
                "-c",
                f"{sources}; complete -C '{line}'",
                env=self.environment,
                cwd=self.folder,
            )
            words = [row.split("\t")[0] for row in printed.splitlines()]
            return {re.split("[,=]", word)[-1] for word in words}

        self.check(offered)

    def test_zsh(self):
        with ZshSession(
            self.need("zsh"), SHARE / "zsh/site-functions", self.folder, self.environment
        ) as session:
            self.check(session.offered)


if __name__ == "__main__":
    if BUILD is None:
        sys.exit(__doc__)
    unittest.main(verbosity=2)
