# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""From what torch's FlopCounterMode counted, what libprof must say, with every difference by name.

torch counts the products alone. libprof also counts what belongs to the same op: additions of a
bias, the softmax of an attention. Where torch's own formula is wrong, the right number follows from
the shapes, exactly. """
import collections
import math

import torch_attribution

PRODUCTS = tuple(name.removeprefix("aten::") for name in sorted(torch_attribution.PRODUCTS))
FORWARD_CONVOLUTIONS = ("convolution", "_convolution", "cudnn_convolution", "_slow_conv2d_forward")
# Position of is_causal among the arguments.
ATTENTIONS = {
    "_scaled_dot_product_flash_attention": 4,
    "_scaled_dot_product_efficient_attention": 6,
    "_scaled_dot_product_cudnn_attention": 6,
}
ATTENTION_GRADIENTS = {
    "_scaled_dot_product_flash_attention_backward": 11,
    "_scaled_dot_product_efficient_attention_backward": 11,
    "_scaled_dot_product_cudnn_attention_backward": 14,
}
FORWARD, GRADIENT, CELL = "attention", "attention_backward", "recurrent_cell"
# for each element of the state: what docs/ops.md counts beside the products
GATES = {"LSTMCell": 30, "GRUCell": 22}

BIAS = "additions of a bias, not counted by torch"
GROUPED = "weight gradients of grouped convolutions, counted `groups` times by torch"
SOFTMAX = "scale, softmax and their gradient, not counted by torch"
GATE_WORK = "gates, not counted by torch"
CAUSAL = "pairs above the diagonal, counted by torch"


class UnknownCount(Exception):
    """torch counted something that no formula here explains."""


class Class:
    """One class of ops: torch's FLOPs, corrections {name: FLOPs}, and the sums that libprof may
    have."""

    def __init__(self):
        self.calls = self.torch = 0
        self.corrections = collections.Counter()
        self.causal_corrections = collections.Counter()  # if libprof knows what is causal

    def add(self, flops):
        self.calls += 1
        self.torch += flops

    @property
    def expected(self):
        return self.torch + sum(self.corrections.values())

    @property
    def expected_if_causal(self):
        return self.torch + sum(self.causal_corrections.values())


def elements(tensor):
    return math.prod(tensor["shape"])


def shape(event, position):
    return event["args"][position]["shape"]


def convolution_gradient(event):
    """(FLOPs of the gradients, what torch's formula is off for groups, additions of the bias'
    gradient). A gradient takes each product of the forward pass once: 2 x samples x positions x
    elements of the filter. torch transposes the shapes for the weight's gradient and loses that a
    filter has only channels of its group."""
    dy, x, weight = (shape(event, position) for position in range(3))
    transposed, groups, mask = event["args"][7], event["args"][9], event["args"][10]
    positions = math.prod((x if transposed else dy)[2:])
    one = 2 * x[0] * positions * math.prod(weight)
    right = one * (bool(mask[0]) + bool(mask[1]))
    as_torch = one * (bool(mask[0]) + bool(mask[1]) * groups)
    if event["flops"] not in (right, as_torch):
        raise UnknownCount(
            f"convolution_backward of {event['args'][:3]}: torch counts {event['flops']}, "
            f"by definition {right}"
        )
    return right, event["flops"] - right, math.prod(dy) if mask[2] else 0


def pairs(queries, keys, is_causal):
    if not is_causal:
        return queries * keys
    full = min(queries, keys)
    return full * (full + 1) // 2 + (queries - full) * keys


def attention(q, k, v, is_causal, is_gradient):
    """(FLOPs of the products, of the rest): forward 2 (D + V) of products and 6 of the rest for
    each pair, backward 2 (3 D + 2 V) and 6, and 2 V for each query."""
    *batch, queries, width = q
    keys, values = k[-2], v[-1]
    heads = math.prod(batch)
    count = heads * pairs(queries, keys, is_causal)
    if is_gradient:
        return 2 * count * (3 * width + 2 * values), 6 * count + 2 * heads * queries * values
    return 2 * count * (width + values), 6 * count


def _argument(event, position):
    return bool(event["args"][position]) if position < len(event["args"]) else False


def _add_attention(found, flops, q, k, v, is_causal, is_gradient):
    products, _ = attention(q, k, v, False, is_gradient)
    if products != flops:
        raise UnknownCount(
            f"attention of {q}, {k}, {v}: torch counts {flops}, by definition {products}"
        )
    found.add(flops)
    found.corrections[SOFTMAX] += attention(q, k, v, False, is_gradient)[1]
    fewer, rest = attention(q, k, v, is_causal, is_gradient)
    found.causal_corrections[SOFTMAX] += rest
    found.causal_corrections[CAUSAL] += fewer - products


def classes(counted):
    """{class: Class} of one model's counts {totals, events, calls, cells}. Products inside of an
    attention by plain products or of a recurrent cell are the attention's or the cell's."""
    found = collections.defaultdict(Class)
    inside = collections.Counter()
    sums = collections.Counter()
    for event in counted["events"]:
        op, flops, args = event["op"], event["flops"], event["args"]
        sums[op] += flops
        if op in PRODUCTS:
            if event["inside"]:
                inside[event["inside"]] += flops
                continue
            found[op].add(flops)
            if op in ("addmm", "baddbmm"):
                found[op].corrections[BIAS] += elements(event["out"])
        elif op in FORWARD_CONVOLUTIONS:
            found["convolution"].add(flops)
            if args[2] is not None:
                found["convolution"].corrections[BIAS] += elements(event["out"])
        elif op == "convolution_backward":
            right, too_many, bias = convolution_gradient(event)
            found[op].add(right + too_many)
            found[op].corrections[GROUPED] -= too_many
            found[op].corrections[BIAS] += bias
        elif op in ATTENTIONS:
            _add_attention(
                found[FORWARD],
                flops,
                *(shape(event, i) for i in range(3)),
                _argument(event, ATTENTIONS[op]),
                False,
            )
        elif op in ATTENTION_GRADIENTS:
            _add_attention(
                found[GRADIENT],
                flops,
                *(shape(event, i) for i in range(1, 4)),
                _argument(event, ATTENTION_GRADIENTS[op]),
                True,
            )
        else:
            raise UnknownCount(f"{op}: no class for it")
    if sums != collections.Counter(counted["totals"]):
        raise UnknownCount(
            f"FlopCounterMode's totals {counted['totals']} are not the sums of its ops {dict(sums)}"
        )
    _add_math(
        found,
        counted["calls"],
        inside["attention"],
        sum(e["op"] in ATTENTIONS for e in counted["events"]),
    )
    for cell in counted["cells"]:
        found[CELL].calls += 1
        found[CELL].corrections[GATE_WORK] += GATES[cell["kind"]] * cell["batch"] * cell["hidden"]
    if inside["cell"]:
        found[CELL].torch = inside["cell"]
    return dict(found)


def _add_math(found, calls, inside, fused):
    """Attention by plain products: torch counts its products one by one."""
    if not inside:
        return
    if fused:
        raise UnknownCount("fused attention and attention by plain products in one model")
    of_calls = [attention(c["q"], c["k"], c["v"], False, False)[0] for c in calls]
    if sum(of_calls) != inside:
        raise UnknownCount(
            f"products inside of attention: torch counts {inside}, by definition {sum(of_calls)}"
        )
    for call, flops in zip(calls, of_calls):
        _add_attention(
            found[FORWARD], flops, call["q"], call["k"], call["v"], call["is_causal"], False
        )
