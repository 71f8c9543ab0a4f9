#!/usr/bin/env python3
"""What `yatlab evaluate FOLDER --text FILE` must print for a GPT-2: its perplexity by sliding windows, with tokens, model and windows computed here.

    python3 bench/gpt2_perplexity.py vocab.bpe FILE FOLDER STRIDE ...

FOLDER holds config.json and model.safetensors as Hugging Face has them; where it is not there it is made, with a small model of random weights and GPT-2's
vocabulary. FILE must be ASCII (letters are told from signs by it). Debian: apt-get install python3-torch
"""
import json
import math
import re
import struct
import sys
from pathlib import Path

import torch

from exported_models import gpt2, read


def write_random(folder, d=32, layers=2, context=64, heads=4, vocabulary=50257):
    torch.manual_seed(0)
    w = {"wte.weight": 0.3 * torch.randn(vocabulary, d), "wpe.weight": 0.1 * torch.randn(context, d)}
    for name in ["ln_f"] + [f"h.{i}.ln_{k}" for i in range(layers) for k in (1, 2)]:
        w[name + ".weight"], w[name + ".bias"] = 1 + 0.1 * torch.randn(d), 0.1 * torch.randn(d)
    for i in range(layers):
        for name, a, b in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, 4 * d), ("mlp.c_proj", 4 * d, d)):
            w[f"h.{i}.{name}.weight"], w[f"h.{i}.{name}.bias"] = 0.3 * torch.randn(a, b), 0.1 * torch.randn(b)
    header, data = {}, b""
    for name, tensor in w.items():
        raw = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    (folder / "config.json").write_text(json.dumps({
        "model_type": "gpt2", "n_head": heads, "n_layer": layers, "n_embd": d, "n_positions": context, "vocab_size": vocabulary,
        "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "scale_attn_weights": True}))


def encoded(text, merges_file):
    """GPT-2's byte pairs, by the definition."""
    merges = [tuple(line.split()) for line in Path(merges_file).read_text(encoding="utf8").split("\n")[1:] if line]
    rank = {merge: i for i, merge in enumerate(merges)}
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in printable]
    letters = {**{b: chr(b) for b in printable}, **{b: chr(256 + n) for n, b in enumerate(others)}}
    vocabulary = {letters[b]: i for i, b in enumerate(printable + others)}
    for a, b in merges:
        vocabulary[a + b] = len(vocabulary)
    out = []
    for piece in re.findall(r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", text):
        parts = [letters[b] for b in piece.encode()]
        while len(parts) > 1:
            first = min(zip(parts, parts[1:]), key=lambda pair: rank.get(pair, len(rank)))
            if first not in rank:
                break
            joined, i = [], 0
            while i < len(parts):
                pair = tuple(parts[i:i + 2]) == first
                joined.append(parts[i] + parts[i + 1] if pair else parts[i])
                i += 2 if pair else 1
            parts = joined
        out += [vocabulary[part] for part in parts]
    return out


def main():
    folder = Path(sys.argv[3])
    if not folder.exists():
        write_random(folder)
    text = Path(sys.argv[2]).read_text(encoding="ascii")
    tokens = torch.tensor(encoded(text, sys.argv[1]))
    config, w = json.loads((folder / "config.json").read_text()), read(folder / "model.safetensors")
    last = len(tokens) - 1
    for stride in map(int, sys.argv[4:]):
        nats, done = 0.0, 0
        for begin in range(0, last, stride):
            end = min(begin + config["n_positions"], last)
            logs = gpt2(config, w, tokens[begin:end][None])[0].double().log_softmax(-1)
            nats -= logs.gather(1, tokens[begin + 1:end + 1][:, None])[done - begin:].sum().item()
            done = end
            if done == last:
                break
        print(f"stride {stride}: {last} tokens predicted, loss {nats / last:.6g}, perplexity {math.exp(nats / last):.6g}, "
              f"word perplexity {math.exp(nats / len(text.split())):.6g}")


main()
