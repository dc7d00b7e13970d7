#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""States of devices, with a stand-in NVML that ends a process which calls it where it must not."""
import json
import time

from harness import SystemTest, main

COLUMNS = (
    "device",
    "sm_clock_mhz",
    "memory_clock_mhz",
    "power_mw",
    "temperature_c",
    "throttle_reasons",
    "memory_used_bytes",
)
# Of the stand-in; the SM's clock goes down by one from sample to sample.
VALUES = dict(zip(COLUMNS, (0, 1980, 2619, 412345, 0, 0x24, 50 << 30)))


class DeviceTest(SystemTest):
    def states(self, script, nvml="", **options):
        """Runs it with the stand-in NVML; the states in the trace as dictionaries, and the trace."""
        run = self.run_app(script, nvml=True, STANDIN_NVML=nvml, **options)
        self.assert_counts(run)
        trace = run.trace()
        rows = trace.rows(f"SELECT {', '.join(COLUMNS)} FROM device_state ORDER BY id")
        return [dict(zip(COLUMNS, row)) for row in rows], trace


class Values(DeviceTest):
    def test_what_nvml_tells(self):
        for door in ("run", "preload"):
            with self.subTest(door=door):
                forced = ["--force"] if door == "run" else ()
                states, trace = self.states(
                    "launch k 3; sync; sleep 1300", door=door, options=forced, PROF_FORCE="1"
                )
                self.assertEqual([VALUES], states[:1])
                self.assertEqual("every 1000 ms", trace.meta()["device_state"])
                # The time of the sample is within the capture.
                self.assertEqual(
                    1,
                    trace.one(
                        "SELECT count(*) FROM device_state WHERE id = 1 AND process_id = 1 AND time_ns >"
                        " (SELECT min(start_ns) FROM api_call) AND time_ns < 60e9"
                    ),
                )

    def test_at_an_interval(self):
        states, trace = self.states(
            "launch k; sync; sleep 1700", door="run", options=["--trace", "device=20ms"]
        )
        self.assertGreater(len(states), 3)
        self.assertLess(len(states), 60)
        self.assertEqual(
            [1980 - i for i in range(len(states))], [state["sm_clock_mhz"] for state in states]
        )
        self.assertEqual("every 20 ms", trace.meta()["device_state"])
        # The interval is kept: no sample comes earlier than a little before its time.
        gaps = [
            row[0]
            for row in trace.rows(
                "SELECT (max(time_ns) - min(time_ns)) / (count(*) - 1) FROM device_state"
            )
        ]
        self.assertGreater(gaps[0], 18e6)

    def test_a_sample_that_takes_longer_than_the_interval(self):
        states, trace = self.states(
            "launch k; sync; sleep 2000",
            nvml="late",
            options=["--trace", "device=40ms"],
            door="run",
        )
        self.assertGreater(len(states), 3)
        # The thread rests for an interval after each sample, which takes 40 ms itself.
        self.assertGreater(
            trace.one("SELECT (max(time_ns) - min(time_ns)) / (count(*) - 1) FROM device_state"),
            70e6,
        )

    def test_what_fails_is_absent(self):
        for word, missing in (
            ("clock", ("sm_clock_mhz", "memory_clock_mhz")),
            ("power", ("power_mw",)),
            ("temperature", ("temperature_c",)),
            ("reasons", ("throttle_reasons",)),
            ("memory", ("memory_used_bytes",)),
        ):
            with self.subTest(word=word):
                states, _ = self.states("launch k; sync; sleep 1300", nvml=word, PROF_FORCE="1")
                expected = {**VALUES, **{column: None for column in missing}}
                self.assertEqual([expected], states[:1])

    def test_the_report(self):
        self.states("launch k; sync; sleep 1300", nvml="power")
        rows = json.loads(self.report("-r", "device", "-f", "json").stdout)
        self.assertEqual(
            (0, 1980, None, 0, "hot", 0x24),
            tuple(
                rows[0][key]
                for key in (
                    "device",
                    "sm_clock_mhz",
                    "power_w",
                    "temperature_c",
                    "throttle",
                    "throttle_reasons",
                )
            ),
        )


class Without(DeviceTest):
    def check(self, why, **options):
        states, trace = self.states("launch k; sync; sleep 1300", PROF_FORCE="1", **options)
        self.assertEqual([], states)
        self.assertEqual(why, trace.meta().get("device_state"))

    def test_no_library(self):
        run = self.run_app("launch k 3; sync; sleep 1300", nvml="hidden")
        self.assert_counts(run)
        self.assert_untouched(run, lines=1)
        self.assertEqual("libnvidia-ml.so.1 was not found", run.trace().meta()["device_state"])
        self.assertEqual([], run.trace().rows("SELECT * FROM device_state"))
        self.assertEqual(
            [["absent"]],
            [list(row) for row in json.loads(self.report("-r", "device", "-f", "json").stdout)],
        )

    def test_it_cannot_start(self):
        self.check("nvmlInit failed with error 999", nvml="init")

    def test_another_gpu(self):
        self.check("NVML does not know device 0", nvml="unknown")

    def test_turned_off(self):
        self.check(None, PROF_TRACE="no-device")
        self.check(None, door="run", options=["--force", "--trace", "no-device"])

    def test_a_word_that_makes_no_sense(self):
        run = self.run_app("launch k; sync", door="run", options=["--trace", "device=5"], status=2)
        self.assertIn(
            "device=5: not understood; device, device=INTERVAL (from 10ms to 3600s), ", run.stderr
        )


class Harmless(DeviceTest):
    def test_children_never_call_nvml(self):
        # A child that called it would be ended by SIGABRT.
        states, _ = self.states(
            "launch k; sync; sleep 1300; fork { sleep 100 } launch k; sync; sleep 100; exit 7",
            PROF_TRACE="device=10ms",
            status=7,
        )
        self.assertGreater(len(states), 3)

    def test_an_nvml_that_hangs_does_not_hold_the_program(self):
        # At the end, a query takes its time; one never returns; NVML never comes up.
        for word in ("slow", "stuck", "hang"):
            with self.subTest(word=word):
                began = time.monotonic()
                states, trace = self.states(
                    "launch k; sync; sleep 1300; exit 7", nvml=word, status=7, PROF_FORCE="1"
                )
                self.assertLess(time.monotonic() - began, 8)
                self.assertEqual([], states)
                self.assertEqual(
                    "NVML did not answer when the capture ended", trace.meta()["device_state"]
                )
                self.assertEqual("exit", trace.meta()["ended"])


if __name__ == "__main__":
    main()
