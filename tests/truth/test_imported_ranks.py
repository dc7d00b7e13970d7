#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Ranks of other profilers' files: a run of three ranks, of which one is late, made up small and written as
torch.profiler and Nsight Systems write it. Reports name the rank and why, and match what the files number.

usage: test_imported_ranks.py PROF_IMPORT PROF_REPORT"""
import csv
import dataclasses
import io
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import nsys_exports  # noqa: E402
from kineto_files import MM, PRODUCT, File  # noqa: E402
from nsys_exports import DOMAIN, Export, tid  # noqa: E402

PROF_IMPORT, PROF_REPORT = map(str, map(pathlib.Path, sys.argv[1:3]))
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
RANKS, STEPS, LAYERS = 3, 10, 4
ELEMENTS = 1 << 20
LATE, LATE_LAYER, SLEEP_US = 1, 2, 2000
EPOCH_NS = 1_700_000_000_000_000_000
NCCL_DOMAIN, COMMUNICATOR = 3, 77


@dataclasses.dataclass
class Event:
    """What a rank launches; in us."""

    step: int
    layer: int
    number: int  # of a collective, from 1; 0: a product
    launch: float
    start: float
    end: float


def run_of(late):
    """The events of each rank: in each layer a product, and an all-reduce on a stream of its own."""
    rng = random.Random(5)
    events = [[] for _ in range(RANKS)]
    host, gpu, link = [1000.0] * RANKS, [0.0] * RANKS, 0.0
    number = 0
    for step in range(STEPS):
        for layer in range(LAYERS):
            number += 1
            ready = []
            for rank in range(RANKS):
                host[rank] += 20 * rng.uniform(0.9, 1.1) + (
                    SLEEP_US if (rank, layer) == (late, LATE_LAYER) else 0
                )
                start = max(gpu[rank], host[rank] + 6)
                gpu[rank] = start + 300 * rng.uniform(0.99, 1.01)
                events[rank].append(Event(step, layer, 0, host[rank], start, gpu[rank]))
                host[rank] += 20
                ready.append((host[rank], max(link, gpu[rank], host[rank] + 6)))
            end = max(start for _, start in ready) + 100
            link = end
            for rank, (launch, start) in enumerate(ready):
                events[rank].append(
                    Event(step, layer, number, launch, start, end + rng.uniform(0, 0.3))
                )
        for rank in range(RANKS):  # the optimizer waits for the gradients
            gpu[rank] = link
            host[rank] = max(host[rank], link) + 30
    return events


def steps_of(events, first):
    """Of a window that begins with step `first`: the number, its begin and end on the host, its events."""
    for step in range(first, STEPS):
        own = [event for event in events if event.step == step]
        yield step, own[0].launch - 8, own[-1].end + 10, own


def kineto(path, rank, events, first, numbered):
    """`numbered`: whether the file has groups and sequence numbers, as since torch 2.8."""
    file = File(
        distributedInfo={"backend": "nccl", "rank": rank, "world_size": RANKS},
        baseTimeNanoseconds=EPOCH_NS,
    )
    op = 0
    for step, begin, end, own in steps_of(events, first):
        file.annotation(f"ProfilerStep#{step}", begin, end - begin)
        for event in own:
            op += 1
            at = event.launch - 4
            if not event.number:
                file.add("python_function", f"nn.Module: Layer_{event.layer}", at - 1, 12)
                file.op("aten::mm", at, 10, MM, op)
                file.launch(
                    PRODUCT, event.launch, event.start, event.end - event.start, {"External id": op}
                )
                continue
            stated = {
                "Collective name": "allreduce",
                "In msg nelems": ELEMENTS,
                "Out msg nelems": ELEMENTS,
                "Group size": RANKS,
                "dtype": "Float",
            }
            group = (
                {"Process Group Name": "0", "Process Group Ranks": str(list(range(RANKS)))}
                if numbered
                else {}
            )
            number = {"Rank": rank, "Seq": event.number} if numbered else {}
            file.op("record_param_comms", at, 10, {**stated, **group, **number}, op)
            file.annotation("nccl:all_reduce", at + 1, 8)
            file.launch(
                NCCL,
                event.launch,
                event.start,
                event.end - event.start,
                {"External id": op, **stated, **group},
                stream=20,
            )
    file.write(path)


def nsys(path, rank, events, first):
    export = Export(path)
    export.session()
    for name, value in (("RANK", rank), ("WORLD_SIZE", RANKS)):
        export.row(
            "META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value=f'{name}="{value}"'
        )
    export.row("TARGET_INFO_SYSTEM_ENV", name="Hostname", value=f"node{rank}")
    export.row(
        "NVTX_EVENTS",
        start=1,
        eventType=DOMAIN,
        text="NCCL",
        globalTid=tid(10, 11),
        domainId=NCCL_DOMAIN,
    )
    export.range(
        10,
        20,
        "ncclCommInitRank",
        domainId=NCCL_DOMAIN,
        jsonText=f'{{"NCCL communicator ID":{COMMUNICATOR},"No. of ranks":{RANKS},"Rank":{rank}}}',
    )
    correlation = 0
    for step, begin, end, own in steps_of(events, first):
        export.range(int(begin * 1e3), int(end * 1e3), f"step:{step}")
        for event in own:
            correlation += 1
            at, launch = int(event.launch * 1e3) - 2000, int(event.launch * 1e3)
            if event.number:
                export.range(
                    at,
                    at + 6000,
                    "ncclAllReduce",
                    domainId=NCCL_DOMAIN,
                    jsonText=(
                        f'{{"NCCL communicator ID":{COMMUNICATOR},"Message size [bytes]":{4 * ELEMENTS}}}'
                    ),
                )
            else:
                export.range(at - 500, at + 6500, f"layer:Layer_{event.layer}")
                export.range(
                    at, at + 6000, "aten::mm, seq = 1, op_id = 1, sizes = [[64, 128], [128, 32]]"
                )
            export.launch(
                launch,
                correlation=correlation,
                name=NCCL if event.number else PRODUCT,
                delay=int(event.start * 1e3) - launch,
                length=int((event.end - event.start) * 1e3),
                streamId=20 if event.number else 7,
            )
    export.close()


class ImportedRanks(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def traces(self, write, late, suffix):
        """Each rank's window begins one step later. Files are named against the order of the ranks."""
        traces = []
        for rank, events in enumerate(run_of(late)):
            source = self.folder / f"{RANKS - rank}{suffix}"
            write(source, rank, events, rank)
            traces.append(source.with_suffix(".db"))
            subprocess.run(
                [PROF_IMPORT, source, "-o", traces[-1], "--force"],
                check=True,
                capture_output=True,
                timeout=60,
            )
        return traces

    def lines(self, report, traces):
        """The lines as dictionaries, and the notes."""
        done = subprocess.run(
            [PROF_REPORT, "-r", report, "-f", "csv", *traces],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return list(csv.DictReader(io.StringIO(done.stdout))), done.stderr

    def assert_late(self, traces, is_estimated):
        stragglers, notes = self.lines("stragglers", traces)
        named = [
            (line["rank"], line["cause"], line["layer"], line["op"], line["dir"])
            for line in stragglers
            if line["cause"]
        ]
        self.assertEqual(len(named), 1, named)
        self.assertEqual(named[0][:2], (str(LATE), "host"))
        self.assertIn(f"Layer_{LATE_LAYER}", named[0][2])
        self.assertEqual(named[0][3], "mm")
        self.assertEqual("an estimate" in notes, is_estimated, notes)
        collectives, _ = self.lines("collectives", traces)
        self.assertEqual(
            [(line["ranks"], line["op"], line["last"]) for line in collectives],
            [("0 to 2", "all_reduce", f"rank {LATE}")],
        )
        # Steps that two ranks have or more, and 100 us for each transfer.
        self.assertEqual(int(collectives[0]["count"]), LAYERS * (STEPS - 1))
        self.assertAlmostEqual(float(collectives[0]["transfer_ns"]) / 1e3, 100, delta=2)
        self.assertAlmostEqual(float(collectives[0]["alg_gb_per_s"]), 4 * ELEMENTS / 100e3, delta=1)

    def test_files_of_torch_profiler(self):
        traces = self.traces(lambda *place: kineto(*place, True), LATE, ".json")
        self.assert_late(traces, is_estimated=False)

    def test_a_wait_is_no_headroom(self):
        """Each transfer takes 100 us, of which links need some; waits are 2 ms a step. In the step that rank 0 alone
        has, of ten, they are not known."""
        summary, _ = self.lines(
            "summary", self.traces(lambda *place: kineto(*place, True), LATE, ".json")
        )
        found = [
            float(line["headroom_ns"])
            for line in summary
            if (line["section"], line["what"]) == ("op", "all_reduce")
        ]
        self.assertEqual(len(found), RANKS, summary)
        for headroom_ns in found:
            self.assertLess(headroom_ns, LAYERS * 100e3 + SLEEP_US * 1e3 / 9)
            self.assertGreater(headroom_ns, LAYERS * 50e3)

    def test_older_files_of_torch_profiler(self):
        traces = self.traces(lambda *place: kineto(*place, False), LATE, ".json")
        self.assert_late(traces, is_estimated=True)

    def test_files_of_nsight_systems(self):
        traces = self.traces(nsys, LATE, ".sqlite")
        self.assert_late(traces, is_estimated=True)

    def test_nobody_is_late(self):
        for write, suffix in ((lambda *place: kineto(*place, True), ".json"), (nsys, ".sqlite")):
            stragglers, _ = self.lines("stragglers", self.traces(write, None, suffix))
            self.assertEqual([line for line in stragglers if line["cause"]], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
