#!/usr/bin/env python3
"""GPT-2 without biases in eager PyTorch, as a user would write it, for measuring only: prints tokens per second of training.

    python3 bench/language_model_pytorch.py LAYERS HEADS WIDTH CONTEXT BATCH VOCABULARY float32|bfloat16 THREADS STEPS [wall|cpu|cuda]

bfloat16 is autocast with float32 parameters. cuda: on the first GPU, by the clock on the wall, attention through scaled_dot_product_attention as its users write it there.
bench_language_model --pytorch python3 runs it. Debian: apt-get install python3-torch
"""
import math
import sys
import time

import torch
from torch import nn
from torch.nn import functional

layers, heads, width, context, batch, vocabulary = map(int, sys.argv[1:7])
precision, threads, steps = sys.argv[7], int(sys.argv[8]), int(sys.argv[9])
clock = time.process_time if sys.argv[10:] == ["cpu"] else time.perf_counter
device = "cuda" if sys.argv[10:] == ["cuda"] else "cpu"
torch.set_num_threads(threads)
torch.manual_seed(1)


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return functional.layer_norm(x, (width,), self.weight)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = Norm(), Norm()
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        self.register_buffer("mask", torch.ones(context, context).tril().bool())

    def attention(self, x):
        b, t, d = x.shape
        q, k, v = (part.view(b, t, heads, d // heads).transpose(1, 2) for part in self.qkv(x).split(width, 2))
        if device == "cuda":
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(y.transpose(1, 2).reshape(b, t, d))
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // heads)
        weights = scores.masked_fill(~self.mask[:t, :t], float("-inf")).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, d))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block() for _ in range(layers))
        self.norm = Norm()
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)

    def forward(self, numbers):
        x = self.tokens(numbers) + self.positions(torch.arange(numbers.shape[1], device=device))
        for block in self.blocks:
            x = block(x)
        return functional.linear(self.norm(x), self.tokens.weight)


model = Gpt2().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.999))
data = torch.randint(0, vocabulary, (batch, context + 1), device=device)


def step():
    with torch.autocast(device, dtype=torch.bfloat16, enabled=precision == "bfloat16"):
        logits = model(data[:, :-1])
        loss = functional.cross_entropy(logits.view(-1, vocabulary).float(), data[:, 1:].reshape(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.item()


step()
begin = clock()
for _ in range(steps):
    step()
print(steps * batch * context / (clock() - begin))
