#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training steps in pure JAX: a perceptron with SGD, and a transformer with Adam. Layers are
jax.named_scope, the optimizer is written out. Prints a line a step, which is the same in every run.
Usage: jax_models.py MODEL [--steps N] [--products FILE]; FILE gets the matrix products of a step,
counted from the model's sizes: [[direction, m, n, k, batch, how many], ..]."""
import argparse
import json

import jax
import jax.numpy as jnp


class Perceptron:
    """Three layers with biases."""

    rows, sizes = 512, (384, 1024, 768, 256)

    def parameters(self, key):
        keys = jax.random.split(key, len(self.sizes))
        return {
            f"fc_{i}": {"w": jax.random.normal(keys[i], (a, b)) / a**0.5, "b": jnp.zeros((b,))}
            for i, (a, b) in enumerate(zip(self.sizes, self.sizes[1:]))
        }

    def data(self, key):
        one, other = jax.random.split(key)
        return (
            jax.random.normal(one, (self.rows, self.sizes[0])),
            jax.random.normal(other, (self.rows, self.sizes[-1])),
        )

    def loss(self, parameters, data):
        x, wanted = data
        with jax.named_scope("Perceptron"):
            for i in range(len(self.sizes) - 1):
                with jax.named_scope(f"fc_{i}"):
                    layer = parameters[f"fc_{i}"]
                    x = x @ layer["w"] + layer["b"]
                    if i < len(self.sizes) - 2:
                        x = jax.nn.gelu(x)
        with jax.named_scope("loss"):
            return jnp.mean((x - wanted) ** 2)

    def products(self):
        made = []
        for i, (a, b) in enumerate(zip(self.sizes, self.sizes[1:])):
            made.append(("fprop", b, self.rows, a, 1, 1))
            made.append(("bprop", b, a, self.rows, 1, 1))
            if i > 0:
                made.append(("bprop", a, self.rows, b, 1, 1))
        return made

    def optimizer(self):
        return {}

    def update(self, parameters, state, gradients):
        return jax.tree.map(lambda p, g: p - 0.05 * g, parameters, gradients), state


class Transformer:
    """Two blocks of causal attention and a perceptron."""

    batch, tokens, width, heads, blocks, words = 4, 256, 512, 8, 2, 2048

    def parameters(self, key):
        def weight(a, b):
            nonlocal key
            key, one = jax.random.split(key)
            return (jax.random.normal(one, (a, b)) / a**0.5).astype(jnp.bfloat16)

        width = self.width
        made = {"embed": weight(self.words, width), "head": weight(width, self.words)}
        for i in range(self.blocks):
            made[f"block_{i}"] = {
                "qkv": weight(width, 3 * width),
                "out": weight(width, width),
                "up": weight(width, 4 * width),
                "down": weight(4 * width, width),
                "scale_1": jnp.ones((width,), jnp.bfloat16),
                "scale_2": jnp.ones((width,), jnp.bfloat16),
            }
        return made

    def data(self, key):
        text = jax.random.randint(key, (self.batch, self.tokens + 1), 0, self.words)
        return text[:, :-1], text[:, 1:]

    @staticmethod
    def norm(x, scale):
        wide = x.astype(jnp.float32)
        return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)).astype(
            x.dtype
        ) * scale

    def attention(self, block, x):
        heads = (self.batch, self.tokens, 3, self.heads, self.width // self.heads)
        q, k, v = jnp.moveaxis((x @ block["qkv"]).reshape(heads), 2, 0)
        scores = jnp.einsum("bthd,bshd->bhts", q, k).astype(jnp.float32) / heads[-1] ** 0.5
        mask = jnp.tril(jnp.ones((self.tokens, self.tokens), bool))
        weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1).astype(x.dtype)
        mixed = jnp.einsum("bhts,bshd->bthd", weights, v)
        return mixed.reshape(x.shape) @ block["out"]

    def loss(self, parameters, data):
        text, wanted = data
        with jax.named_scope("Transformer"):
            with jax.named_scope("embed"):
                x = parameters["embed"][text]
            for i in range(self.blocks):
                block = parameters[f"block_{i}"]
                with jax.named_scope(f"block_{i}"):
                    with jax.named_scope("attn"):
                        x = x + self.attention(block, self.norm(x, block["scale_1"]))
                    with jax.named_scope("mlp"):
                        inner = jax.nn.silu(self.norm(x, block["scale_2"]) @ block["up"])
                        x = x + inner @ block["down"]
            with jax.named_scope("head"):
                scores = (x @ parameters["head"]).astype(jnp.float32)
        with jax.named_scope("loss"):
            chosen = jnp.take_along_axis(jax.nn.log_softmax(scores), wanted[..., None], axis=-1)
            return -jnp.mean(chosen)

    def products(self):
        rows, width = self.batch * self.tokens, self.width
        each = width // self.heads
        made = []
        linear = [
            (width, 3 * width),
            (width, width),
            (width, 4 * width),
            (4 * width, width),
        ] * self.blocks
        for a, b in [*linear, (width, self.words)]:
            made += [
                ("fprop", b, rows, a, 1, 1),
                ("bprop", b, a, rows, 1, 1),
                ("bprop", a, rows, b, 1, 1),
            ]
        # Scores, and their mixture of values; of both the gradient of each operand.
        pairs = self.batch * self.heads
        for _ in range(self.blocks):
            made += [
                ("fprop", self.tokens, self.tokens, each, pairs, 1),
                ("fprop", each, self.tokens, self.tokens, pairs, 1),
                ("bprop", each, self.tokens, self.tokens, pairs, 3),
                ("bprop", self.tokens, self.tokens, each, pairs, 1),
            ]
        return made

    def optimizer(self):
        zeros = jax.tree.map(
            lambda p: jnp.zeros(p.shape, jnp.float32), self.parameters(jax.random.key(0))
        )
        return {
            "first": zeros,
            "second": jax.tree.map(jnp.copy, zeros),
            "count": jnp.zeros((), jnp.int32),
        }

    def update(self, parameters, state, gradients):
        with jax.named_scope("adam"):
            count = state["count"] + 1
            first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["first"], gradients)
            second = jax.tree.map(
                lambda v, g: 0.99 * v + 0.01 * g * g.astype(jnp.float32), state["second"], gradients
            )

            def step(p, m, v):
                m, v = m / (1 - 0.9**count), v / (1 - 0.99**count)
                return (p - 1e-3 * m / (jnp.sqrt(v) + 1e-8)).astype(p.dtype)

            return (
                jax.tree.map(step, parameters, first, second),
                {"first": first, "second": second, "count": count},
            )


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", choices=["perceptron", "transformer"])
    options.add_argument("--steps", type=int, default=6)
    options.add_argument("--products")
    chosen = options.parse_args()
    model = Perceptron() if chosen.model == "perceptron" else Transformer()
    if chosen.products:
        with open(chosen.products, "w", encoding="ascii") as file:
            json.dump(model.products(), file)

    @jax.jit
    def train_step(parameters, state, data):
        loss, gradients = jax.value_and_grad(model.loss)(parameters, data)
        parameters, state = model.update(parameters, state, gradients)
        return loss, parameters, state

    parameters = model.parameters(jax.random.key(1))
    state = model.optimizer()
    data = model.data(jax.random.key(2))
    before = None
    for step in range(chosen.steps):
        loss, parameters, state = train_step(parameters, state, data)
        loss = float(loss)
        print(
            f"step {step}: the loss {'falls' if before is None or loss < before else 'does not fall'}"
        )
        before = loss


if __name__ == "__main__":
    main()
