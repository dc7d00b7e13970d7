#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the traces of many ranks from one recorded step, with planted causes of waits, and prints what was planted.

usage: make_ranks.py OUT_DIR [--ranks N | --layout data=4,tensor=2,pipe=2,...] [--cause rank=1,kind=host,...] ...

The recorded step runs on each rank in microbatches, with collectives between its parts: a communicator for each group
of data-parallel, tensor-parallel and expert-parallel ranks, and for each pipeline. Times are simulated: hosts launch in
order, streams run in order, a collective ends when all its ranks have come. Every duration has noise.

A layout has numbers of ranks (data, tensor, pipe), microbatches, and three switches. expert: data-parallel ranks send
each other tokens before and after each MLP. shard: they keep a part of the weights each, as FSDP does, gather those of
a layer while the one before it runs, and scatter its gradients. exposed: collectives run on the computing stream; if
not, they run on their own beside computing, as far as what follows does not need them.

A cause is a list of NAME=VALUE: rank; kind; ms; factor; layer, op, dir as prof-report prints them. Its kinds:
  host    the host sleeps before the op
  gpu     a kernel of the op takes longer
  copy    the copy of the inputs takes longer
  load    the host waits for data before the first op of a step
  clocks  all kernels (of the op) take longer, by `factor`
  sizes   the op's kernels and the rank's messages to experts are larger, by `factor`
  link    transfers of all collectives of the rank take longer, by `factor`; with peer=RANK of those of both alone, with
          of_host=1 of those between the rank's host and others

Prints what was planted, and what is true of the steps: how long they take (median), how long with the same noise and
no cause, and what each cause adds by itself.
"""
import argparse
import dataclasses
import json
import multiprocessing
import pathlib
import random

from made_ranks import causes, program, recording, simulation, trace_files

ROOT = pathlib.Path(__file__).resolve().parents[2]


def words(text, kind):
    """NAME=VALUE,... as the fields of a dataclass."""
    types = {field.name: field.type for field in dataclasses.fields(kind)}
    made = {}
    for pair in text.split(","):
        name, _, value = pair.partition("=")
        if name not in types:
            raise argparse.ArgumentTypeError(f"{name}: not one of {', '.join(types)}")
        made[name] = bool(int(value)) if types[name] is bool else types[name](value)
    return kind(**made)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument(
        "--recording", type=pathlib.Path, default=ROOT / "tests/data/gpt_steps.jsonl.gz"
    )
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--layout", type=lambda text: words(text, program.Layout))
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--kernels", type=int, help="of each rank, at least; instead of --steps")
    parser.add_argument(
        "--cause", type=lambda text: words(text, causes.Cause), action="append", default=[]
    )
    parser.add_argument(
        "--noise", type=lambda text: words(text, simulation.Noise), default=simulation.Noise()
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gpu-scale", type=float, default=8, help="of the recorded kernels' times")
    parser.add_argument("--gpus-per-host", type=int, default=8)
    parser.add_argument(
        "--clock-offset-ms",
        type=float,
        default=0,
        help="of the second host's clock; of the third twice",
    )
    parser.add_argument("--clock-drift-ppm", type=float, default=0, help="likewise")
    parser.add_argument(
        "--windows", type=int, default=0, help="each rank begins up to so many steps later"
    )
    parser.add_argument(
        "--ids",
        choices=("record", "nvtx", "none"),
        default="record",
        help="what the traces state of collectives: all, no sequences, or op and size alone",
    )
    parser.add_argument(
        "--leave-out", type=int, action="append", default=[], help="a rank that gets no trace"
    )
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def simulated(setting, planted):
    """The machine with all causes, and the truth about its steps."""

    def machine(*chosen):
        made = simulation.Machine(setting, chosen)
        made.run()
        return made

    full = machine(*planted)
    clean = machine() if planted else full
    stated = []
    for left_out, cause in enumerate(planted):
        others = [other for number, other in enumerate(planted) if number != left_out]
        without = machine(*others) if others else clean
        stated.append(dataclasses.asdict(cause) | {"cost_ns": simulation.step_cost(full, without)})
    return full, {
        "step_ns": simulation.step_time(full),
        "clean_step_ns": simulation.step_time(clean),
        "cost_ns": simulation.step_cost(full, clean),
        "causes": stated,
    }


def main():
    options = parse()
    layout = options.layout or program.Layout(data=options.ranks)
    step = recording.read_step(options.recording, options.bin)
    sizes = {"data": 16 << 20, "tensor": 4 << 20, "expert": 8 << 20, "pipe": 4 << 20}
    programs = [program.build(step, layout, stage, sizes) for stage in range(layout.pipe)]
    works = sum(item.kind in ("work", "collective") for item in programs[0])
    steps = (
        options.steps if options.kernels is None else -(-options.kernels // works) + options.windows
    )
    for cause in options.cause:
        if not causes.is_anywhere(cause, layout, programs):
            place = f"{cause.op or 'op'} in {cause.layer or 'any layer'}"
            raise SystemExit(f"make_ranks.py: rank {cause.rank} has no {place} for {cause.kind}")
    setting = simulation.Setting(
        layout,
        programs,
        options.noise,
        steps,
        options.seed,
        options.gpu_scale,
        options.gpus_per_host,
    )
    machine, truth = simulated(setting, options.cause)
    windows = random.Random(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    jobs, planted = [], []
    for rank in range(layout.ranks):
        host = rank // options.gpus_per_host
        late = windows.randint(0, options.windows)
        identity = trace_files.Identity(
            rank=rank,
            local_rank=rank % options.gpus_per_host,
            world=layout.ranks,
            host=host,
            offset_ns=int(host * options.clock_offset_ms * 1e6),
            drift=host * options.clock_drift_ppm * 1e-6,
            ids=options.ids,
            first_step=late,
            last_step=steps - (options.windows - late),
        )
        planted.append(
            {
                "rank": rank,
                "host": f"node{host}",
                "clock_offset_ns": identity.offset_ns,
                "steps": [identity.first_step, identity.last_step - 1],
            }
        )
        if rank not in options.leave_out:
            plan = machine.plans[rank]
            jobs.append(
                (
                    options.out / f"rank{rank}.db",
                    options.bin,
                    step,
                    layout,
                    plan.items,
                    machine.times[rank],
                    plan.bytes,
                    identity,
                )
            )
    with multiprocessing.Pool(options.processes) as pool:
        pool.starmap(trace_files.write_trace, jobs, chunksize=1)
    print(json.dumps({"kernels": works * steps, **truth, "ranks": planted}, indent=1))


if __name__ == "__main__":
    main()
