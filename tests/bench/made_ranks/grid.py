# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Sets of ranks whose truth is known: ways to train x causes x exposed or overlapped collectives."""
import dataclasses
import json
import shutil
import subprocess
import sys

WAYS = {
    "ddp": "data={n}",
    "fsdp": "data={n},shard=1",
    "pipeline": "data={quarter},pipe=4,microbatches=4",
    "experts": "data={n},expert=1",
    "tensor": "data={half},tensor=2",
}
CAUSES = ("none", "kernel", "host", "link", "loader")
STAGES = 4
BLOCKS_OF_STAGE = 2
STEPS = 8
ANY = "*"  # in what is expected: whatever there is
# Collectives that show whose link is slow. All ranks of a communicator see it alike: where there is one, as in the
# other ways, nothing tells.
LINK_OPS = {"pipeline": ("send", "recv", "all_reduce"), "tensor": ("all_reduce",)}


@dataclasses.dataclass(frozen=True)
class Made:
    """One set; `seed` is that of its noise."""

    ranks: int
    way: str
    cause: str
    exposed: bool
    seed: int = 1

    @property
    def name(self):
        return f"{self.way}-{self.ranks}-{self.cause}-{'exposed' if self.exposed else 'overlapped'}-{self.seed}"

    @property
    def stages(self):
        return STAGES if self.way == "pipeline" else 1

    @property
    def rank(self):
        """Neither the first nor the last one; of a pipeline in its third stage, but the first one loads data."""
        of_stage = self.ranks // self.stages
        stage = 2 if self.way == "pipeline" and self.cause != "loader" else 0
        return stage * of_stage + (of_stage * 5 // 8)

    @property
    def layer(self):
        return f"h.{self.rank // (self.ranks // self.stages) * BLOCKS_OF_STAGE + 1}:mlp:c_fc"

    def planted(self):
        """As --cause takes it."""
        at = f"layer={self.layer},op=linear"
        # Causes in work come with each microbatch, of which a pipeline has four; its hosts run further ahead.
        kernel, host = (0.25, 2) if self.way == "pipeline" else (0.8, 1.5)
        return {
            "none": None,
            "kernel": f"rank={self.rank},kind=gpu,ms={kernel},{at},dir=bprop",
            "host": f"rank={self.rank},kind=host,ms={host},{at},dir=fprop",
            "link": f"rank={self.rank},kind=link,factor=3",
            "loader": f"rank={self.rank},kind=load,ms=2",
        }[self.cause]

    def expected(self):
        """Rank, cause, layer, op (of several one) and direction that `stragglers` has to name, None: absent; or
        nothing of the kind."""
        if self.cause == "link" and self.way in LINK_OPS:
            return self.rank, "link", ANY, LINK_OPS[self.way], ANY
        return {
            "kernel": (self.rank, "work", self.layer, "linear", "bprop"),
            "host": (self.rank, "host", self.layer, "linear", "fprop"),
            "loader": (self.rank, "host", "inputs", None, None),
        }.get(self.cause)

    def clean(self, seed):
        return dataclasses.replace(self, cause="none", seed=seed)

    def make(self, folder, source, bin_dir, processes=2):
        """Writes the traces, and returns what make_ranks.py says of them."""
        layout = WAYS[self.way].format(
            n=self.ranks, half=self.ranks // 2, quarter=self.ranks // STAGES
        )
        cause = self.planted()
        done = subprocess.run(
            [
                sys.executable,
                source / "tests/bench/make_ranks.py",
                folder,
                "--bin",
                bin_dir,
                "--steps",
                str(STEPS),
                "--layout",
                f"{layout},exposed={int(self.exposed)}",
                "--seed",
                str(self.seed),
                "--processes",
                str(processes),
                *(["--cause", cause] if cause else []),
            ],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            raise SystemExit(f"make_ranks.py: {done.stderr}")
        return json.loads(done.stdout)
