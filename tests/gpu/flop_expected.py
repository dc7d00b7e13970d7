# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""From what torch's FlopCounterMode counted, what libprof must say of each call, with every
difference by name.

torch counts the products alone. libprof also counts what belongs to the same op: additions of a
bias, the softmax of a fused attention. Where torch's own formula is wrong, the right number follows
from the shapes, exactly. """
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
ATTENTION, ATTENTION_GRADIENT = "attention", "attention gradient"
CONVOLUTION = "convolution"
CONVOLUTION_GRADIENTS = {
    "data": "convolution data gradient",
    "weight": "convolution weight gradient",
    "bias": "convolution bias gradient",
}

BIAS = "additions of a bias, not counted by torch"
GROUPED = "weight gradients of grouped convolutions, counted `groups` times by torch"
SOFTMAX = "scale, softmax and their gradient, not counted by torch"
CAUSAL = "pairs above the diagonal, counted by torch"

# One call: torch's FLOPs, corrections {name: FLOPs}, and of a product its sizes: the sides of the
# result in ascending order, the length of the sums, and how many there are in the batch.
Call = collections.namedtuple("Call", "torch corrections sizes", defaults=(None,))


class UnknownCount(Exception):
    """torch counted something that no formula here explains."""


class Class:
    """One class of ops: its calls, and what they are if pairs above the diagonal of a causal
    attention are left out."""

    def __init__(self):
        self.calls, self.causal_calls = [], []

    def add(self, call, if_causal=None):
        self.calls.append(call)
        self.causal_calls.append(if_causal or call)

    @property
    def has_causal(self):
        return self.calls != self.causal_calls


def flops_of(call):
    return call.torch + sum(call.corrections.values())


def sizes(m, n, k, batch):
    return min(m, n), max(m, n), k, batch


def elements(tensor):
    return math.prod(tensor["shape"])


def shape(event, position):
    return event["args"][position]["shape"]


def product(event):
    """Of mm, bmm (a, b) and addmm, baddbmm (bias, a, b)."""
    has_bias = event["op"] in ("addmm", "baddbmm")
    a, b = shape(event, has_bias), shape(event, has_bias + 1)
    *batch, m, k = a
    found = sizes(m, b[-1], k, math.prod(batch))
    if event["flops"] != 2 * math.prod(found):
        raise UnknownCount(f"{event['op']} of {a}, {b}: torch counts {event['flops']}")
    return Call(event["flops"], {BIAS: elements(event["out"])} if has_bias else {}, found)


def convolution(event):
    bias = event["args"][2]
    return Call(event["flops"], {} if bias is None else {BIAS: elements(event["out"])})


def convolution_gradients(event):
    """{part: Call}. The gradients of data and weight take each product of the forward pass once:
    2 x samples x positions x elements of the filter. For the weight's gradient torch transposes the
    shapes and loses that a filter has only channels of its group."""
    dy, x, weight = (shape(event, position) for position in range(3))
    transposed, groups, mask = event["args"][7], event["args"][9], event["args"][10]
    positions = math.prod((x if transposed else dy)[2:])
    one = 2 * x[0] * positions * math.prod(weight)
    right = one * (bool(mask[0]) + bool(mask[1]))
    too_many = one * (groups - 1) if mask[1] else 0
    if event["flops"] not in (right, right + too_many):
        raise UnknownCount(
            f"convolution_backward of {event['args'][:3]}: torch counts {event['flops']}, "
            f"by definition {right}"
        )
    too_many = event["flops"] - right
    found = {
        "data": Call(one, {}),
        "weight": Call(one + too_many, {GROUPED: -too_many}),
        "bias": Call(0, {BIAS: math.prod(dy)}),
    }
    return {part: call for (part, call), is_asked in zip(found.items(), mask) if is_asked}


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


def attention_calls(event):
    """(the call with all pairs, the call without those above the diagonal if it is causal)."""
    is_gradient = event["op"] in ATTENTION_GRADIENTS
    q, k, v = (shape(event, position + is_gradient) for position in range(3))
    position = (ATTENTION_GRADIENTS if is_gradient else ATTENTIONS)[event["op"]]
    is_causal = position < len(event["args"]) and bool(event["args"][position])
    products, rest = attention(q, k, v, False, is_gradient)
    if products != event["flops"]:
        raise UnknownCount(
            f"{event['op']} of {q}, {k}, {v}: torch counts {event['flops']}, "
            f"by definition {products}"
        )
    call = Call(products, {SOFTMAX: rest})
    if not is_causal:
        return call, call
    fewer, rest = attention(q, k, v, True, is_gradient)
    return call, Call(products, {SOFTMAX: rest, CAUSAL: fewer - products})


def classes(counted):
    """{class: Class} of one model's counts {totals, events}."""
    found = collections.defaultdict(Class)
    sums = collections.Counter()
    for event in counted["events"]:
        op = event["op"]
        sums[op] += event["flops"]
        if op in PRODUCTS:
            found[op].add(product(event))
        elif op in FORWARD_CONVOLUTIONS:
            found[CONVOLUTION].add(convolution(event))
        elif op == "convolution_backward":
            for part, call in convolution_gradients(event).items():
                found[CONVOLUTION_GRADIENTS[part]].add(call)
        elif op in ATTENTIONS:
            found[ATTENTION].add(*attention_calls(event))
        elif op in ATTENTION_GRADIENTS:
            found[ATTENTION_GRADIENT].add(*attention_calls(event))
        else:
            raise UnknownCount(f"{op}: no class for it")
    if sums != collections.Counter(counted["totals"]):
        raise UnknownCount(
            f"FlopCounterMode's totals {counted['totals']} are not the sums of its ops {dict(sums)}"
        )
    return dict(found)
