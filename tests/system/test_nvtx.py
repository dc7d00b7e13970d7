#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Every kernel has the whole stack of NVTX ranges that was open at its launch."""
import json
import os
import resource

from harness import SystemTest, main, unless_sanitized


class Stacks(SystemTest):
    def stacks(self, script, allowed=(), **options):
        run = self.run_app(script, **options)
        self.assert_counts(run, allowed=allowed)
        self.assert_untouched(run)
        self.trace = run.trace()
        return {name: dict(stacks) for name, stacks in self.trace.stacks_by_kernel().items()}

    def test_nested(self):
        found = self.stacks(
            "launch zero; push a; launch one; push b; push c; launch three 2; pop; launch two; pop; pop; launch none"
        )
        self.assertEqual(
            {
                "zero": {(): 1},
                "one": {("a",): 1},
                "three": {("a", "b", "c"): 2},
                "two": {("a", "b"): 1},
                "none": {(): 1},
            },
            found,
        )

    def test_same_text_many_times(self):
        found = self.stacks("repeat 500 { push step; push op; launch k; pop; pop }")
        self.assertEqual({"k": {("step", "op"): 500}}, found)
        self.assertEqual(
            1000, self.trace.one("SELECT count(*) FROM range WHERE duration_ns IS NOT NULL")
        )

    def test_texts_byte_for_byte(self):
        texts = [
            "aten::mm, seq = 12, op_id = 34, sizes = [[1, 2], [3, 4]]",
            "aten::mm, seq = 007, op_id = 18446744073709551616",
            "seq = 0, op_id = 0",
            ", seq = 5",
            "{'mod': 'torch', 'op': 'linear'}",
            "naïve ∑ ✓",
            "x = 1.5e-3",
        ]
        script = "; ".join(f'push "{text}"; launch k{i}; pop' for i, text in enumerate(texts))
        found = self.stacks("launch first; " + script)
        del found["first"]
        self.assertEqual({f"k{i}": {(text,): 1} for i, text in enumerate(texts)}, found)

    def test_domains(self):
        found = self.stacks(
            "launch first; push a; push d1 one; push b; push d2 two; launch all; pop; launch no_b; "
            "pop one; launch no_d1; pop two; launch only_a; pop; launch none"
        )
        self.assertEqual({("a", "d1", "b", "d2"): 1}, found["all"])
        # A pop takes the top of its own domain's stack; what other domains opened above it stays.
        self.assertEqual({("a", "d1", "d2"): 1}, found["no_b"])
        self.assertEqual({("a", "d2"): 1}, found["no_d1"])
        self.assertEqual({("a",): 1}, found["only_a"])
        self.assertEqual({(): 1}, found["none"])
        domains = {
            text: domain
            for _, domain, text, kind, _, _ in self.trace.ranges().values()
            if kind == 0
        }
        self.assertEqual(("one", "two"), (domains["d1"], domains["d2"]))

    def test_registered_wide_and_payload(self):
        found = self.stacks(
            "launch first; push_registered reg dom; push_wide wide; push_payload pay 77; launch k; pop; pop; pop dom; "
            "push_registered reg dom; launch l; pop dom"
        )
        self.assertEqual({("reg", "wide é€", "pay"): 1}, found["k"])
        self.assertEqual({("reg",): 1}, found["l"])
        self.assertEqual(
            [(2, 77, 3, 0xFF00FF00)],
            self.trace.rows(
                "SELECT payload_type, payload, category, color_argb FROM range WHERE payload_type <> 0"
            ),
        )

    def test_samples_of_counters(self):
        self.stacks(
            "launch first; push a; sample depth server 4; sample depth server -1; pop; launch k"
        )
        rows = json.loads(self.report("-r", "marks", "-f", "json").stdout)
        self.assertEqual(
            [("depth", "server", 4, "a"), ("depth", "server", -1, "a")],
            [(row["text"], row["domain"], row["payload"], row["range"]) for row in rows],
        )

    def test_long_text(self):
        found = self.stacks("launch first; push x*60000; launch k; pop")
        self.assertEqual({("x" * 60000,): 1}, found["k"])

    def test_threads_have_stacks_of_their_own(self):
        found = self.stacks(
            "launch first; push main; thread { push inside; launch k 3; pop; launch l } launch m; pop"
        )
        self.assertEqual({("inside",): 3}, found["k"])
        self.assertEqual({(): 1}, found["l"])
        self.assertEqual({("main",): 1}, found["m"])

    def test_thread_names(self):
        self.stacks("launch first; thread { name_thread loader; launch k }")
        self.assertIn(
            ("loader",),
            self.trace.rows("SELECT s.text FROM thread t JOIN string s ON s.id = t.name_id"),
        )

    def test_ranges_opened_before_cuda_starts(self):
        found = self.stacks(
            "push early; push second; pop; push inner; launch k; pop; launch l; pop; launch m",
            allowed=["before_start"],
        )
        # What was over before the start is only counted.
        self.assertEqual(1, self.trace.losses()["before_start"])
        self.assertEqual({("early", "inner"): 1}, found["k"])
        self.assertEqual({("early",): 1}, found["l"])
        self.assertEqual({(): 1}, found["m"])

    def test_ranges_opened_before_cuda_starts_on_another_thread(self):
        found = self.stacks("thread { push other; thread { launch first } launch k; pop }")
        self.assertEqual({("other",): 1}, found["k"])

    def test_marks_and_process_ranges(self):
        found = self.stacks(
            'launch first; push a; start r "whole job"; mark here; thread { end r } launch k; pop; category 3 cats'
        )
        self.assertEqual({("a",): 1}, found["k"])
        ranges = {
            text: (kind, duration) for _, _, text, kind, duration, _ in self.trace.ranges().values()
        }
        self.assertEqual(1, ranges["whole job"][0])
        self.assertIsNotNone(ranges["whole job"][1])
        self.assertEqual(
            [("here",)],
            self.trace.rows("SELECT s.text FROM mark m JOIN string s ON s.id = m.text_id"),
        )

    def test_unbalanced(self):
        run = self.run_app(
            "launch first; pop; pop; push a; launch k; push never_closed; end nothing"
        )
        self.assert_counts(run)
        trace = run.trace()
        self.assertEqual({("a",): 1}, dict(trace.stacks_by_kernel()["k"]))
        losses = trace.losses()
        self.assertEqual(2, losses["unbalanced_pop"])
        self.assertEqual(2, losses["unclosed_range"])
        self.assertIn(
            "never_closed",
            [text for _, _, text, _, duration, _ in trace.ranges().values() if duration is None],
        )

    def test_very_deep(self):
        depth = 300
        script = (
            "launch first; "
            + "".join(f"push r{i}; " for i in range(depth))
            + "launch k; "
            + "pop; " * depth
            + "launch l"
        )
        run = self.run_app(script)
        trace = run.trace()
        (stack,) = trace.stacks_by_kernel()["k"]
        lost = trace.losses().get("stack_too_deep", 0)
        self.assertEqual(depth - lost, len(stack))
        self.assertEqual(tuple(f"r{i}" for i in range(depth - lost)), stack)
        self.assertEqual({(): 1}, dict(trace.stacks_by_kernel()["l"]))

    def cost_of(self, script, ranges):
        """Seconds of processor time, and the trace; each range is in it or counted."""
        if os.path.exists(self.trace_path):
            os.unlink(self.trace_path)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = self.run_app(script)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        trace = run.trace()
        self.assert_no_loss(trace, allowed=["stack_too_deep"])
        self.assertEqual(
            ranges,
            trace.one("SELECT count(*) FROM range WHERE kind < 2")
            + trace.losses().get("stack_too_deep", 0),
        )
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, trace

    def test_no_cost_grows_with_the_square_of_open_ranges(self):
        nested = "launch first; repeat {0} {{ repeat 1000 {{ push r; launch k }} sleep 2 }} "
        for rest in ("repeat {0} {{ repeat 1000 {{ pop }} sleep 2 }} launch last", "end nothing"):
            cheap, dear = (
                self.cost_of((nested + rest).format(thousands), thousands * 1000)[0]
                for thousands in (15, 60)
            )
            # Four times the ranges: 4 where the cost is linear, 16 where it is quadratic.
            self.assertLess(dear, 8 * cheap)

    def test_ranges_of_two_domains_end_in_the_order_in_which_they_began(self):
        # An end out of order moves the ranges above it, of which the depth is the limit.
        _, trace = self.cost_of(
            "launch first; repeat 2000 { push a } repeat 2000 { push b dom } launch k; "
            "repeat 2000 { pop } launch l; repeat 2000 { pop dom }",
            4_000,
        )
        stacks = trace.stacks_by_kernel()
        self.assertEqual({("a",) * 2000 + ("b",) * 2000: 1}, dict(stacks["k"]))
        self.assertEqual({("b",) * 2000: 1}, dict(stacks["l"]))

    def test_many_threads_with_ranges(self):
        found = self.stacks(
            "launch first; threads 50 { repeat 40 { push outer; push dom_range dom; launch k; pop dom; pop } }"
        )
        self.assertEqual({("outer", "dom_range"): 2000}, found["k"])
        self.assertEqual(
            50,
            self.trace.one(
                "SELECT count(DISTINCT a.thread_id) FROM api_call a JOIN kernel k"
                " ON k.correlation = a.correlation"
            )
            - 1,
        )

    def test_report_shows_native_layers(self):
        self.stacks('push step:1; push "layer:mlp"; launch k; pop; pop; launch l')
        rows = self.kernels_of_report()
        self.assertEqual(
            [("k", "mlp", 1), ("l", None, None)],
            [(row["kernel"], row["layer"], row["step"]) for row in rows],
        )


no_storm_under_tsan = unless_sanitized(
    "tsan", "it delivers signals at blocking calls only, so that they interrupt nothing"
)


class SignalHandlers(SystemTest):
    """A handler that annotates and launches interrupts the profiler's own code wherever it is."""

    def assert_every_call_kept_or_counted(self, run, exact=True):
        storm = run.counts["storm"]
        self.assertGreater(storm["handlers"], 100)
        trace = run.trace()
        self.assertEqual("ok", trace.one("PRAGMA integrity_check"))
        losses = trace.losses()
        # On a slow machine the storm also outruns the disk. What is dropped then, kernels included,
        # is counted together, so the sums are exact only without it.
        outran = losses.get("queue_full", 0)
        self.assert_no_loss(
            trace, allowed=["in_signal_handler", "ring_full", "stack_too_deep", "queue_full"]
        )
        kept = (
            trace.one("SELECT count(*) FROM range WHERE kind < 2")
            + trace.one("SELECT count(*) FROM mark")
            + trace.one("SELECT count(*) FROM api_call WHERE depth = 0")
        )
        lost = sum(
            losses.get(word, 0) for word in ("in_signal_handler", "ring_full", "stack_too_deep")
        )
        made = storm["ranges"] + storm["marks"] + storm["launches"]
        if exact and not outran:
            self.assertEqual(made, kept + lost, (storm, losses))
        else:
            self.assertGreaterEqual(made, kept)
            self.assertGreaterEqual(kept + lost + outran, made, (storm, losses))
        # CUPTI's own records do not depend on the calls.
        kernels = trace.kernel_count()
        self.assertGreaterEqual(storm["launches"], kernels)
        self.assertGreaterEqual(kernels + outran, storm["launches"])
        return trace

    @no_storm_under_tsan
    def test_a_storm_on_one_thread(self):
        run = self.run_app("nvtx_storm 50 3000; exit 7", status=7, timeout=60)
        self.assert_untouched(run)
        trace = self.assert_every_call_kept_or_counted(run)
        self.assertEqual(0, trace.losses().get("unbalanced_pop", 0))
        self.assertEqual(0, trace.losses().get("unclosed_range", 0))
        # A range of the loop never ends up inside one of a handler that is over.
        stacks = trace.stacks_by_kernel()["loop_kernel"]
        self.assertEqual(set(), {stack for stack in stacks if "in handler" in stack})

    @no_storm_under_tsan
    def test_a_storm_on_four_threads(self):
        run = self.run_app(
            "launch first; threads 4 { nvtx_storm 200 2000 } exit 7", status=7, timeout=60
        )
        self.assert_untouched(run)
        run.counts["storm"]["launches"] += 1
        self.assert_every_call_kept_or_counted(run)

    @no_storm_under_tsan
    def test_handlers_that_never_return(self):
        # What was interrupted inside the profiler stays unfinished: that thread's later calls are
        # counted.
        run = self.run_app(
            "nvtx_storm_out 50 1000; thread { push after; launch fine; pop } exit 7",
            status=7,
            timeout=60,
        )
        self.assert_untouched(run)
        self.assertEqual({("after",): 1}, dict(run.trace().stacks_by_kernel()["fine"]))

    def test_the_first_event_of_a_thread_in_a_handler(self):
        run = self.run_app(
            "launch first; threads 20 { first_event_in_handler } exit 7", status=7, timeout=60
        )
        self.assert_untouched(run)
        texts = [
            text
            for _, _, text, _, duration, _ in run.trace().ranges().values()
            if duration is not None
        ]
        self.assertEqual(["first of the thread"] * 20, texts)
        self.assert_no_loss(run.trace())


if __name__ == "__main__":
    main()
