#!/usr/bin/env python3
"""The peer of one job of experiments/eurlex4k.yaml, in eager PyTorch. For measuring only.

Trains mean-of-embeddings and label prototypes (256 dimensions) with the yat classifier, logits log(max(E, 1e-9)), softmax
cross-entropy against labels that sum to 1, Adam 1e-3, batches of 512, gradient norm clipped at 1, in composed tensor
operations as a user would write them. Evaluates P@k after every epoch. Seconds are CPU seconds of the process.

    python3 bench/eurlex_pytorch.py DATA/eurlex4k-proxy [threads] [epochs] [float32|bfloat16]

bfloat16 is autocast, with float32 parameters, in training.

Debian: apt-get install python3-torch libopenblas0-pthread
"""
import gzip
import resource
import sys
import time

import torch

folder, threads = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
epochs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
narrow = sys.argv[4:] == ["bfloat16"]
torch.set_num_threads(threads)
torch.manual_seed(0)


def read(name):
    with gzip.open(f"{folder}/{name}.txt.gz", "rt") as lines:
        rows, features, labels = map(int, next(lines).split())
        bags, targets = [], []
        for line in lines:
            head, _, rest = line.partition(" ")
            targets.append(torch.tensor([int(x) for x in head.split(",")] if head else [], dtype=torch.long))
            bags.append(torch.tensor([int(x.split(":")[0]) for x in rest.split()], dtype=torch.long))
    assert len(bags) == rows
    return bags, targets, features, labels


bags, targets, features, labels = read("train")
test_bags, test_targets, _, _ = read("test")


def batch_of(bags, targets, index):
    chosen = [bags[i] for i in index]
    lengths = torch.tensor([0] + [len(b) for b in chosen[:-1]])
    wanted = torch.zeros(len(index), labels)
    for row, i in enumerate(index):
        wanted[row, targets[i]] = 1
    return torch.cat(chosen), lengths.cumsum(0), wanted


embeddings = torch.nn.EmbeddingBag(features, 256, mode="mean")
torch.nn.init.normal_(embeddings.weight, std=0.0625)
w = torch.nn.Parameter(torch.randn(labels, 256) * 0.0625)
parameters = [embeddings.weight, w]
adam = torch.optim.Adam(parameters, lr=1e-3)


def scores(words, offsets):
    q = embeddings(words, offsets)
    dots = q @ w.t()
    distances = ((q * q).sum(1, keepdim=True) + (w * w).sum(1) - 2 * dots).clamp_min(0)
    return dots**2 / (distances + 1e-4)


for epoch in range(epochs):
    begin = time.process_time()
    order = torch.randperm(len(bags)).tolist()
    total = 0.0
    for start in range(0, len(order), 512):
        words, offsets, wanted = batch_of(bags, targets, order[start : start + 512])
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=narrow):
            found = scores(words, offsets)
        logits = found.float().clamp_min(1e-9).log()
        shares = wanted / wanted.sum(1, keepdim=True).clamp_min(1)
        loss = -(shares * torch.log_softmax(logits, 1)).sum(1).mean()
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        adam.step()
        total += loss.item()
    trained = time.process_time()
    hits = torch.zeros(3)
    with torch.no_grad():
        for start in range(0, len(test_bags), 512):
            words, offsets, wanted = batch_of(test_bags, test_targets, range(start, min(start + 512, len(test_bags))))
            right = wanted.gather(1, scores(words, offsets).topk(5).indices)
            hits += torch.stack([right[:, :k].mean(1).sum() for k in (1, 3, 5)])
    print(
        f"epoch {epoch + 1}: {trained - begin:.2f} s training + {time.process_time() - trained:.2f} s evaluation, loss "
        f"{total / 31:.3f}, P@1/3/5 {'/'.join(f'{p:.3f}' for p in (hits / len(test_bags)).tolist())}, "
        f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB",
        flush=True,
    )
