# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the reports say of a made set of ranks, beside the truth."""
import dataclasses
import json
import subprocess

from . import grid

ALL = ("stragglers", "advice", "diff", "regress")
OF_TWO = ("diff", "regress")
LEAST_PCT = 1  # of the step: a cause that costs less need not be named
ALLOWED_PCT = 5  # --fail-above
# A step that is longer by about the limit may be told either way.
UNSURE_PCT = (3, 7)
COST_LIMIT_PCT = {True: 15, False: 30}  # exposed or not
PLACE = ("rank", "cause", "layer", "op", "dir")
COLLECTIVES = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "send",
    "recv",
    "send_recv",
)


def is_expected(found, expected):
    return expected == grid.ANY or (
        found in expected if isinstance(expected, tuple) else found == expected
    )


def needs_base(reports):
    return any(name in reports for name in OF_TWO)


def run(program, *arguments, may_be=(0,)):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in may_be:
        raise SystemExit(
            f"{program.name} {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stderr}"
        )
    return done


def rows_of(text, word):
    """A report without rows has one object, which says why."""
    return [row for row in json.loads(text or "[]") if word in row]


@dataclasses.dataclass
class Score:
    made: grid.Made
    truth: dict
    is_asked: bool = True  # for `stragglers`
    named: list = dataclasses.field(
        default_factory=list
    )  # (rank, cause, layer, op, dir) of `stragglers`, in its order
    first: tuple = ()  # of these, what the first line names
    cost_ns: float | None = None  # of the first line
    advised: list = dataclasses.field(default_factory=list)  # ranks that `advice` calls late
    advice_gain_ns: tuple = ()
    diff_status: int | None = None
    diff_places: list = dataclasses.field(
        default_factory=list
    )  # (rank, layer, op, dir) that got slower
    regress_status: int | None = None
    regress_first: str = ""

    @property
    def longer_pct(self):
        return 100 * self.truth["cost_ns"] / self.truth["clean_step_ns"]

    @property
    def expected(self):
        """What delays nobody is no cause."""
        return self.made.expected() if self.longer_pct >= LEAST_PCT else None

    @property
    def is_rank_right(self):
        return bool(self.first) and self.first[0] == self.expected[0]

    @property
    def is_place_right(self):
        return len(self.first) == len(self.expected) and all(
            map(is_expected, self.first, self.expected)
        )

    @property
    def cost_error_pct(self):
        if self.cost_ns is None:
            return None
        return 100 * (self.cost_ns / self.truth["cost_ns"] - 1)

    def expected_statuses(self):
        low, high = UNSURE_PCT
        return {0} if self.longer_pct < low else {3} if self.longer_pct > high else {0, 3}

    def failures(self):
        if not self.is_asked:
            pass
        elif self.expected is None:
            if self.named:
                yield f"names {self.named}"
        elif not self.is_place_right:
            yield f"names {self.first} instead of {self.expected}"
        elif (
            self.cost_error_pct is None
            or abs(self.cost_error_pct) > COST_LIMIT_PCT[self.made.exposed]
        ):
            yield f"costs {self.cost_ns} instead of {self.truth['cost_ns']} ns"
        for what, status in (("diff", self.diff_status), ("regress", self.regress_status)):
            if status is not None and status not in self.expected_statuses():
                yield f"{what}: status {status}, and the step is {self.longer_pct:.1f} % longer"

    def line(self):
        return f"{self.made.name}: {'; '.join(self.failures()) or 'right'}"

    def as_dict(self):
        return dataclasses.asdict(self) | {"failures": list(self.failures())}


def read_stragglers(score, options, folder):
    rows = rows_of(
        run(options.bin / "prof-report", "-r", "stragglers", "-f", "json", folder).stdout, "rank"
    )
    score.named = [tuple(row[word] for word in PLACE) for row in rows if row["cause"] is not None]
    if rows and rows[0]["cause"] is not None:
        score.first, score.cost_ns = score.named[0], rows[0].get("cost_ns")


def read_advice(score, options, folder):
    rows = rows_of(
        run(options.bin / "prof-report", "-r", "advice", "-f", "json", folder).stdout, "rule"
    )
    late = [row for row in rows if row["rule"] == "imbalance"]
    score.advised = [int(row["trace"].removeprefix("rank").removesuffix(".db")) for row in late]
    if late:
        score.advice_gain_ns = (late[0]["gain_low_ns"], late[0]["gain_high_ns"])


def read_diff(score, options, folder, base):
    done = run(
        options.bin / "prof-report",
        "-r",
        "diff",
        "--fail-above",
        ALLOWED_PCT,
        "-f",
        "json",
        base,
        folder,
        may_be=(0, 1, 3, 4),
    )
    score.diff_status = done.returncode
    score.diff_places = [
        (row.get("rank"), row["layer"], row["op"], row["dir"])
        for row in rows_of(done.stdout, "change")
        if row["change"] == "slower" and row["op"]
    ]


def read_regress(score, options, folder, base):
    fleet = options.bin / "prof-fleet"
    store = folder.parent / "store"
    for name, traces in (("base", base), ("new", folder)):
        run(fleet, "add", store, "--run", name, traces)
    done = run(
        fleet, "regress", store, "base", "new", "--fail-above", ALLOWED_PCT, may_be=(0, 1, 2, 3, 4)
    )
    score.regress_status = done.returncode
    score.regress_first = (done.stdout or done.stderr).strip().split("\n")[0]
    subprocess.run(["rm", "-rf", store], check=True)


def score(options, made, folder, truth, base):
    scored = Score(made, {key: value for key, value in truth.items() if key != "ranks"})
    scored.is_asked = "stragglers" in options.reports
    if scored.is_asked:
        read_stragglers(scored, options, folder)
    if "advice" in options.reports:
        read_advice(scored, options, folder)
    if "diff" in options.reports:
        read_diff(scored, options, folder, base)
    if "regress" in options.reports:
        read_regress(scored, options, folder, base)
    return scored


def ms(time_ns):
    return f"{time_ns / 1e6:.2f}"


def named_cell(score):
    """Of the table of docs/ranks.md."""
    cost = (
        "no cost"
        if score.cost_ns is None
        else f"{ms(score.cost_ns)} of {ms(score.truth['cost_ns'])} ms"
    )
    if score.expected is None:
        return f"names rank {score.named[0][0]}" if score.named else "nothing named"
    if score.is_place_right:
        return cost
    return f"rank, not place; {cost}" if score.is_rank_right else "**not named**"


def statuses_cell(score):
    """Of the table of docs/diff.md."""
    statuses = [
        str(status) for status in (score.diff_status, score.regress_status) if status is not None
    ]
    return f"{score.longer_pct:+.0f} %: {', '.join(statuses)}"


def table(scores, cell):
    causes = [cause for cause in grid.CAUSES if any(one.made.cause == cause for one in scores)]
    lines = [
        "| ranks | way | collectives | " + " | ".join(causes) + " |",
        "|---" * (3 + len(causes)) + "|",
    ]
    rows = {}
    for one in scores:
        made = one.made
        rows.setdefault((made.ranks, made.way, "exposed" if made.exposed else "overlapped"), {})[
            made.cause
        ] = cell(one)
    for row, cells in rows.items():
        lines.append(
            f"| {' | '.join(map(str, row))} | {' | '.join(cells.get(cause, '') for cause in causes)} |"
        )
    return "\n".join(lines)


def tables(scores):
    """Those of the seeds beyond the first one are clean, and counted alone."""
    grids = [one for one in scores if one.made.seed == 1]
    clean = [one for one in scores if one.made.cause == "none"]
    named = [one for one in clean if one.named]
    parts = [table(grids, named_cell)] if any(one.is_asked for one in grids) else []
    if any(one.diff_status is not None for one in grids):
        parts.append(table(grids, statuses_cell))
    if any(one.is_asked for one in clean):
        parts.append(f"clean sets: {len(clean)}, in which a cause is named: {len(named)}")
    return "\n\n".join(parts)
