# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training steps of further kinds of models, on random data and weights. Nothing in here knows of
libprof, nothing is downloaded.

A model's function returns the module and its step. Where a teacher is natural (a target network, a
reference model), it also returns the teacher's call; the step takes what that returned."""
import copy
import random

import torch
from torch import nn
from torch.nn import functional as F

MODELS = {}


def model(make):
    MODELS[make.__name__] = make
    return make


def noise(*sizes):
    return torch.randn(*sizes, device="cuda")


def numbers(most, *sizes):
    return torch.randint(0, most, sizes, device="cuda")


def training(loss, *modules, rate=1e-4, after=None):
    """The step that makes `loss` of what a teacher says, if there is one, smaller."""
    optimizer = torch.optim.AdamW([p for m in modules for p in m.parameters()], lr=rate)

    def step(*taught):
        optimizer.zero_grad()
        loss(*taught).backward()
        optimizer.step()
        if after is not None:
            after()

    return step


def follow(follower, leader, share=0.01):
    with torch.no_grad():
        torch._foreach_lerp_(list(follower.parameters()), list(leader.parameters()), share)


def dense(*widths):
    layers = []
    for width, next_width in zip(widths, widths[1:]):
        layers += [nn.Linear(width, next_width), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def convolutions(channels=3, width=32, out=128):
    return nn.Sequential(
        nn.Conv2d(channels, width, 3, 2, 1),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, 2, 1),
        nn.BatchNorm2d(2 * width),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(2 * width, out),
    )


class Words(nn.Module):
    """A small causal language model."""

    def __init__(self, words=1000, width=128, layers=2):
        super().__init__()
        self.words = nn.Embedding(words, width)
        block = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True, dropout=0.0)
        self.blocks = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)
        self.top = nn.Linear(width, words)

    def forward(self, tokens):
        size = tokens.shape[1]
        mask = torch.full((size, size), float("-inf"), device=tokens.device).triu(1)
        return self.top(self.blocks(self.words(tokens), mask=mask))


def likelihood(found, tokens):
    """Of each text, under what the model found at the token before."""
    every = found[:, :-1].log_softmax(-1).gather(2, tokens[:, 1:, None])
    return every.squeeze(2).sum(1)


@model
def compiled_mixer():
    """An MLP-Mixer under torch.compile."""

    class Mixer(nn.Module):
        def __init__(self, places=16, width=64):
            super().__init__()
            self.norm, self.other_norm = nn.LayerNorm(width), nn.LayerNorm(width)
            self.places, self.channels = dense(places, 64, places), dense(width, 128, width)

        def forward(self, seen):
            seen = seen + self.places(self.norm(seen).transpose(1, 2)).transpose(1, 2)
            return seen + self.channels(self.other_norm(seen))

    module = nn.Sequential(Mixer(), Mixer(), nn.Linear(64, 10)).cuda()
    compiled, seen = torch.compile(module), noise(32, 16, 64)
    return module, training(lambda: compiled(seen).square().mean(), module)


@model
def regnet():
    import torchvision

    module = torchvision.models.regnet_y_400mf(weights=None, num_classes=100).cuda()
    seen, wanted = noise(8, 3, 96, 96), numbers(100, 8)
    return module, training(lambda: F.cross_entropy(module(seen), wanted), module)


@model
def masked_autoencoder():
    import transformers

    config = transformers.ViTMAEConfig(
        hidden_size=192,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=384,
        decoder_hidden_size=128,
        decoder_num_hidden_layers=2,
        decoder_num_attention_heads=4,
        decoder_intermediate_size=256,
        image_size=64,
        patch_size=8,
    )
    module = transformers.ViTMAEForPreTraining(config).cuda()
    seen = noise(8, 3, 64, 64)
    return module, training(lambda: module(pixel_values=seen).loss, module)


@model
def segformer():
    import transformers

    config = transformers.SegformerConfig(
        hidden_sizes=[16, 32, 64, 128],
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 1, 2, 4],
        decoder_hidden_size=64,
        num_labels=8,
    )
    module = transformers.SegformerForSemanticSegmentation(config).cuda()
    seen, wanted = noise(4, 3, 128, 128), numbers(8, 4, 32, 32)
    return module, training(
        lambda: F.cross_entropy(module(pixel_values=seen).logits, wanted), module
    )


@model
def t5():
    import transformers

    config = transformers.T5Config(
        vocab_size=1000,
        d_model=128,
        d_kv=32,
        d_ff=256,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
    )
    module = transformers.T5ForConditionalGeneration(config).cuda()
    text, wanted = numbers(1000, 8, 48), numbers(1000, 8, 24)
    return module, training(lambda: module(input_ids=text, labels=wanted).loss, module)


@model
def set_prediction():
    """Like DETR: a transformer's queries, matched with the targets on the host."""

    class Finder(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, 64, 8, 8)
            self.queries = nn.Parameter(torch.randn(12, 64))
            self.transformer = nn.Transformer(64, 4, 2, 2, 128, batch_first=True)
            self.boxes = nn.Linear(64, 4)

        def forward(self, seen):
            patches = self.patches(seen).flatten(2).transpose(1, 2)
            queries = self.queries.expand(len(seen), -1, -1)
            return self.boxes(self.transformer(patches, queries)).sigmoid()

    module = Finder().cuda()
    seen, wanted = noise(4, 3, 64, 64), torch.rand(4, 5, 4, device="cuda")

    def loss():
        found = module(seen)
        far = torch.cdist(found.detach(), wanted, p=1).cpu()  # the host waits for data
        rows = torch.stack([each.argsort(0)[:5].diagonal() for each in far]).cuda()
        return F.l1_loss(found.gather(1, rows[:, :, None].expand(-1, -1, 4)), wanted)

    return module, training(loss, module)


@model
def selective_scan():
    """Like Mamba: a state whose decay depends on the input, token after token."""

    class Scan(nn.Module):
        def __init__(self, width=64, states=8):
            super().__init__()
            self.mix = nn.Linear(width, width)
            self.rate = nn.Linear(width, width)
            self.gates = nn.Linear(width, 2 * states)
            self.decay = nn.Parameter(-torch.rand(width, states))

        def forward(self, seen):
            rate = F.softplus(self.rate(seen))
            into, out = self.gates(seen).chunk(2, -1)
            state, found = 0, []
            for at in range(seen.shape[1]):
                kept = (rate[:, at, :, None] * self.decay).exp()
                added = rate[:, at] * seen[:, at]
                state = kept * state + added[:, :, None] * into[:, at, None]
                found.append((state * out[:, at, None]).sum(-1))
            return seen + self.mix(torch.stack(found, 1))

    module = nn.Sequential(nn.Embedding(500, 64), Scan(), Scan(), nn.Linear(64, 500)).cuda()
    tokens = numbers(500, 16, 24)
    return module, training(
        lambda: F.cross_entropy(module(tokens).flatten(0, 1), tokens.flatten()), module
    )


@model
def q_learning():
    """DQN: values of the next states by a target network."""
    module = dense(16, 256, 256, 6).cuda()
    target = copy.deepcopy(module).requires_grad_(False)
    state, following, reward = noise(128, 16), noise(128, 16), noise(128)
    action = numbers(6, 128, 1)

    def loss(value):
        return F.smooth_l1_loss(module(state).gather(1, action)[:, 0], reward + 0.99 * value)

    step = training(loss, module, after=lambda: follow(target, module))
    return module, step, lambda: target(following).max(1).values


@model
def preferences():
    """DPO: a chosen and a rejected text, against a reference model."""
    module = Words().cuda()
    reference = copy.deepcopy(module).requires_grad_(False)
    tokens = numbers(1000, 8, 32)

    def loss(usual):
        better, worse = (likelihood(module(tokens), tokens) - usual).chunk(2)
        return -F.logsigmoid(0.1 * (better - worse)).mean()

    return module, training(loss, module), lambda: likelihood(reference(tokens), tokens)


@model
def own_latent():
    """BYOL: predicts what a slow copy of the encoder makes of another view."""
    encoder = convolutions().cuda()
    slow = copy.deepcopy(encoder).requires_grad_(False)
    module = nn.Sequential(encoder, dense(128, 256, 128).cuda())
    one, other = noise(32, 3, 32, 32), noise(32, 3, 32, 32)

    def loss(wanted):
        return -F.cosine_similarity(module(one), wanted).mean()

    step = training(loss, module, after=lambda: follow(slow, encoder))
    return module, step, lambda: slow(other)


@model
def distillation():
    """A regularized student, and a frozen network that it imitates."""
    import torchvision

    module = convolutions(out=100).cuda()
    teacher = torchvision.models.shufflenet_v2_x0_5(weights=None, num_classes=100).cuda().eval()
    seen, wanted = noise(16, 3, 64, 64), numbers(100, 16)

    def loss(taught):
        found = module(seen)
        alike = F.kl_div(found.log_softmax(1), taught.softmax(1), reduction="batchmean")
        return F.cross_entropy(found, wanted) + alike

    return module, training(loss, module), lambda: teacher(seen)


@model
def two_towers():
    """Like CLIP: pictures and texts of a batch, each against all others."""

    class Towers(nn.Module):
        def __init__(self):
            super().__init__()
            self.pictures = convolutions()
            self.texts = Words(1000, 128)
            self.scale = nn.Parameter(torch.tensor(2.0))

        def forward(self, seen, tokens):
            pictures = F.normalize(self.pictures(seen), dim=1)
            texts = F.normalize(self.texts(tokens).mean(1)[:, :128], dim=1)
            return self.scale.exp() * pictures @ texts.t()

    module = Towers().cuda()
    seen, tokens = noise(32, 3, 32, 32), numbers(1000, 32, 16)
    own = torch.arange(32, device="cuda")

    def loss():
        alike = module(seen, tokens)
        return F.cross_entropy(alike, own) + F.cross_entropy(alike.t(), own)

    return module, training(loss, module)


@model
def twin_critics():
    """TD3: two critics learn from targets of their own, the actor in each second turn."""
    actor, module = dense(16, 128, 4).cuda(), nn.ModuleList([dense(20, 128, 1) for _ in range(2)])
    module = module.cuda()
    slow_actor, slow = copy.deepcopy(actor), copy.deepcopy(module)
    state, action, reward = noise(128, 16), noise(128, 4), noise(128, 1)
    criticized = torch.optim.Adam(module.parameters())
    acted = torch.optim.Adam(actor.parameters())

    def teach():
        pairs = torch.cat([state, slow_actor(state)], 1)
        return reward + 0.99 * torch.minimum(*(critic(pairs) for critic in slow))

    def step(wanted):
        pairs = torch.cat([state, action], 1)
        for _ in range(2):
            criticized.zero_grad()
            sum(F.mse_loss(critic(pairs), wanted) for critic in module).backward()
            criticized.step()
        acted.zero_grad()
        (-module[0](torch.cat([state, actor(state)], 1)).mean()).backward()
        acted.step()
        follow(slow, module)

    return module[0], step, teach


@model
def variational():
    class Autoencoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.decoder = dense(784, 256, 64), dense(32, 256, 784)

        def forward(self, seen):
            mean, spread = self.encoder(seen).chunk(2, 1)
            found = self.decoder(mean + torch.randn_like(mean) * (0.5 * spread).exp())
            return found, (mean.square() + spread.exp() - spread - 1).sum(1).mean() / 2

    module = Autoencoder().cuda()
    seen = torch.rand(128, 784, device="cuda")

    def loss():
        found, divergence = module(seen)
        return F.binary_cross_entropy_with_logits(found, seen, reduction="sum") / 128 + divergence

    return module, training(loss, module)


@model
def normalizing_flow():
    class Coupling(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = dense(8, 128, 16)

        def forward(self, seen):
            kept, changed = seen.chunk(2, 1)
            scale, shift = self.net(kept).chunk(2, 1)
            scale = scale.tanh()
            return torch.cat([changed * scale.exp() + shift, kept], 1), scale.sum(1)

    class Flow(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(Coupling() for _ in range(4))

        def forward(self, seen):
            total = 0
            for layer in self.layers:
                seen, volume = layer(seen)
                total = total + volume
            return total - 0.5 * seen.square().sum(1)

    module, seen = Flow().cuda(), noise(256, 16)
    return module, training(lambda: -module(seen).mean(), module)


@model
def noise_prediction():
    """Diffusion: two scales with a path across, told the time by an embedding."""

    class Denoiser(nn.Module):
        def __init__(self, width=32):
            super().__init__()
            self.time = nn.Embedding(100, width)
            self.into, self.out = nn.Conv2d(3, width, 3, 1, 1), nn.Conv2d(2 * width, 3, 3, 1, 1)
            self.down = nn.Conv2d(width, width, 3, 2, 1)
            self.norm = nn.GroupNorm(4, width)
            self.up = nn.ConvTranspose2d(width, width, 2, 2)

        def forward(self, seen, time):
            wide = F.silu(self.into(seen) + self.time(time)[:, :, None, None])
            deep = F.silu(self.norm(self.down(wide)))
            return self.out(torch.cat([wide, self.up(deep)], 1))

    module, seen, kept = Denoiser().cuda(), noise(16, 3, 32, 32), torch.linspace(1, 0, 100).cuda()

    def loss():
        time, added = numbers(100, 16), torch.randn_like(seen)
        share = kept[time][:, None, None, None]
        return F.mse_loss(module(share * seen + (1 - share) * added, time), added)

    return module, training(loss, module)


@model
def point_cloud():
    """Points in any order: a network of each point, a maximum over them."""

    class Points(nn.Module):
        def __init__(self):
            super().__init__()
            self.each = nn.Sequential(nn.Conv1d(3, 64, 1), nn.ReLU(), nn.Conv1d(64, 256, 1))
            self.classes = dense(256, 128, 10)

        def forward(self, points):
            return self.classes(self.each(points).max(2).values)

    module, points, wanted = Points().cuda(), noise(16, 3, 512), numbers(10, 16)
    return module, training(lambda: F.cross_entropy(module(points), wanted), module)


@model
def hypernetwork():
    """Makes the weights of another network."""

    class Maker(nn.Module):
        def __init__(self):
            super().__init__()
            self.maker = dense(8, 64, 32 * 32 + 32)

        def forward(self, task, seen):
            made = self.maker(task)
            return F.linear(seen, made[: 32 * 32].view(32, 32), made[32 * 32 :]).relu()

    module, task, seen = Maker().cuda(), noise(8), noise(64, 32)
    return module, training(lambda: (module(task, seen) - seen).square().mean(), module)


@model
def meta_learning():
    """MAML: a gradient step for each task, and the gradient through it."""
    module = dense(1, 64, 64, 1).cuda()
    seen, wanted = noise(4, 16, 1), noise(4, 16, 1)

    def error(params, inputs, targets):
        return F.mse_loss(torch.func.functional_call(module, params, (inputs,)), targets)

    def loss():
        total, params = 0, dict(module.named_parameters())
        for inputs, targets in zip(seen, wanted):
            slopes = torch.func.grad(error)(params, inputs, targets)
            tuned = {name: params[name] - 0.1 * slopes[name] for name in params}
            total = total + error(tuned, inputs, targets)
        return total

    return module, training(loss, module)


@model
def differential_equation():
    """A network that solves u'' = -u: derivatives by its inputs, then by its weights."""
    module = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()).cuda()
    module.append(nn.Linear(64, 1).cuda())
    points = noise(256, 1).requires_grad_()

    def slope(value):
        return torch.autograd.grad(value.sum(), points, create_graph=True)[0]

    def loss():
        value = module(points)
        return (slope(slope(value)) + value).square().mean()

    return module, training(loss, module)


@model
def rollouts():
    """Like GRPO: the policy writes texts, which are rewarded, against a reference model."""
    module = Words().cuda()
    reference = copy.deepcopy(module).requires_grad_(False)
    begun = numbers(1000, 8, 8)

    def write():
        tokens = begun
        with torch.no_grad():
            for _ in range(4):
                chance = module(tokens)[:, -1].softmax(-1)
                tokens = torch.cat([tokens, torch.multinomial(chance, 1)], 1)
        return tokens

    def loss(usual):
        tokens = write()
        reward = (tokens % 7 == 0).float().mean(1)
        found = likelihood(module(tokens), tokens)
        gain = (reward - reward.mean()) / (reward.std() + 1e-4)
        return -(gain * found).mean() + 0.01 * (found - usual).square().mean()

    return module, training(loss, module), lambda: likelihood(reference(begun), begun)


@model
def scheduled_sampling():
    """A decoder that is given its own last word, or the right one, by chance."""

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.cell = nn.Embedding(200, 64), nn.GRUCell(64, 64)
            self.top = nn.Linear(64, 200)

        def forward(self, tokens):
            state, word, found = None, tokens[:, 0], []
            for at in range(tokens.shape[1]):
                state = self.cell(self.words(word), state)
                found.append(self.top(state))
                word = found[-1].argmax(1) if random.random() < 0.3 else tokens[:, at]
            return torch.stack(found, 1)

    module, tokens = Decoder().cuda(), numbers(200, 16, 12)
    return module, training(
        lambda: F.cross_entropy(module(tokens).flatten(0, 1), tokens.flatten()), module
    )
