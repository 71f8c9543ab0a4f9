#!/usr/bin/env python3
"""The peer of one job of experiments/mnist_inversion.yaml, in eager PyTorch. For measuring only.

Trains the ten-prototype yat classifier (bias inside, scale (n/log(1+n))^alpha) on MNIST held in tensors: the same batches, Adam,
5 epochs and an evaluation after each, in composed tensor operations as a user would write them.

    python3 bench/pytorch_mnist.py DATA/mnist [threads]

Debian: apt-get install python3-torch libopenblas0-pthread
"""
import gzip
import math
import sys
import time

import torch

folder, threads = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
torch.set_num_threads(threads)


def idx(name, header):
    raw = bytearray(gzip.open(f"{folder}/{name}.gz").read())
    return torch.frombuffer(raw, dtype=torch.uint8)[header:]


x = idx("train-images-idx3-ubyte", 16).view(-1, 784).float() / 255
y = idx("train-labels-idx1-ubyte", 8).long()
tx = idx("t10k-images-idx3-ubyte", 16).view(-1, 784).float() / 255
ty = idx("t10k-labels-idx1-ubyte", 8).long()


def train(seed):
    torch.manual_seed(seed)
    w = (torch.randn(10, 784) * 0.3).requires_grad_()
    b = torch.zeros(10, requires_grad=True)
    alpha = torch.ones(1, requires_grad=True)
    base = 10 / math.log(11)
    adam = torch.optim.Adam([w, b, alpha], lr=1e-3)

    def forward(inputs):
        dots = inputs @ w.t()
        distances = ((inputs * inputs).sum(1, keepdim=True) + (w * w).sum(1) - 2 * dots).clamp_min(0)
        return base**alpha * (dots + b) ** 2 / (distances + 1e-5)

    accuracy = 0.0
    for _ in range(5):
        order = torch.randperm(len(x))
        for begin in range(0, len(x), 64):
            batch = order[begin : begin + 64]
            loss = torch.nn.functional.cross_entropy(forward(x[batch]), y[batch])
            adam.zero_grad()
            loss.backward()
            adam.step()
        with torch.no_grad():
            accuracy = (forward(tx).argmax(1) == ty).float().mean().item()
    return accuracy


for seed in range(5):
    begin = time.perf_counter()
    result = train(seed)
    print(f"seed {seed}: {time.perf_counter() - begin:.2f} s, accuracy {result:.4f}", flush=True)
