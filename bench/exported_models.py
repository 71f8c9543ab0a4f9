#!/usr/bin/env python3
"""Reads folders of `yatlab model export` with PyTorch alone and holds their scores against reference.safetensors, which Yatlab computed.

    python3 bench/exported_models.py FOLDER ...

A GPT-2 is computed here, by the published definition (not by transformers, which Debian does not have); with modeling_aether.py the folder's own file
is; a classifier by the program in its README. Prints the largest difference in float32, and in float64 how far each is from exact. Fails beyond 1e-4 of
the largest score. Debian: apt-get install python3-torch
"""
import importlib.util
import json
import math
import re
import struct
import sys
from pathlib import Path

import torch
from torch.nn import functional

TYPES = {"F32": torch.float32, "F64": torch.float64, "I64": torch.int64}


def read(path):
    """A safetensors file, from the format's definition."""
    data = bytearray(Path(path).read_bytes())
    end = 8 + struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, entry in json.loads(bytes(data[8:end])).items():
        if name != "__metadata__":
            count, at = math.prod(entry["shape"]), end + entry["data_offsets"][0]
            out[name] = torch.frombuffer(data, dtype=TYPES[entry["dtype"]], count=count, offset=at).reshape(entry["shape"])
    return out


def gpt2(config, w, tokens):
    """GPT-2 with Hugging Face's names: Conv1D weights are [in, out]."""
    d, h = config["n_embd"], config["n_head"]

    def norm(x, name):
        return functional.layer_norm(x, (d,), w[name + ".weight"], w[name + ".bias"], config["layer_norm_epsilon"])

    def linear(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    b, t = tokens.shape
    x = w["wte.weight"][tokens] + w["wpe.weight"][:t]
    seen = torch.ones(t, t, dtype=torch.bool).tril()
    for i in range(config["n_layer"]):
        q, k, v = (p.view(b, t, h, d // h).transpose(1, 2) for p in linear(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").split(d, 2))
        scores = q @ k.transpose(-2, -1) / (math.sqrt(d // h) if config["scale_attn_weights"] else 1)
        mixed = scores.masked_fill(~seen, -math.inf).softmax(-1) @ v
        x = x + linear(mixed.transpose(1, 2).reshape(b, t, d), f"h.{i}.attn.c_proj")
        hidden = linear(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
        if config["activation_function"] == "gelu":
            hidden = 0.5 * hidden * (1 + torch.erf(hidden / math.sqrt(2)))
        else:
            hidden = 0.5 * hidden * (1 + torch.tanh(math.sqrt(2 / math.pi) * (hidden + 0.044715 * hidden ** 3)))
        x = x + linear(hidden, f"h.{i}.mlp.c_proj")
    return norm(x, "ln_f") @ w.get("lm_head.weight", w["wte.weight"]).T


def aether(folder):
    spec = importlib.util.spec_from_file_location("modeling_aether", folder / "modeling_aether.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.AetherForCausalLM.from_pretrained(folder)


def classifier(folder, tensors):
    """The first program of the README, with the tensors given."""
    program = re.search(r"```python\n(.*?)```", (folder / "README.md").read_text(), re.S).group(1)
    lines = [line for line in program.splitlines() if "safetensors" not in line]
    names = {"tensors": tensors}
    exec("\n".join(lines), names)
    return names["scores"]


def tokenizer_round_trip(folder):
    """Bytes through vocab.json and back, for byte-level vocabularies without merges."""
    if (folder / "merges.txt").read_text().count("\n") > 1:
        return "not tried (merges)"
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {byte: chr(byte) for byte in printable}
    for n, byte in enumerate(b for b in range(256) if b not in letters):
        letters[byte] = chr(256 + n)
    vocabulary = json.loads((folder / "vocab.json").read_text())
    assert [vocabulary[letters[b]] for b in range(256)] == list(range(256)) and vocabulary["<|endoftext|>"] == 256
    return "every byte is its token"


def main():
    failed = False
    torch.set_grad_enabled(False)
    for folder in map(Path, sys.argv[1:]):
        tensors, reference = read(folder / "model.safetensors"), read(folder / "reference.safetensors")
        inputs, expected = reference["inputs"], reference["scores"]
        wide = {name: t.double() for name, t in tensors.items()}
        if not (folder / "config.json").exists():
            kind, found, exact = "classifier", classifier(folder, tensors)(inputs), classifier(folder, wide)(inputs.double())
        elif json.loads((folder / "config.json").read_text())["model_type"] == "gpt2":
            config = json.loads((folder / "config.json").read_text())
            kind, found, exact = "GPT-2", gpt2(config, tensors, inputs), gpt2(config, wide, inputs)
        else:
            model = aether(folder)
            found = model(inputs).logits
            kind, exact = "modeling_aether.py", model.double()(inputs).logits
        differ = (found - expected).abs().max().item()
        print(f"{folder}: {kind}, scores {list(expected.shape)} up to {expected.abs().max().item():.3g}: "
              f"Yatlab against PyTorch {differ:.2e}, against float64 {(expected - exact).abs().max().item():.2e} "
              f"(PyTorch against float64 {(found - exact).abs().max().item():.2e})")
        if (folder / "vocab.json").exists():
            print(f"{folder}: tokenizer: {tokenizer_round_trip(folder)}")
        failed = failed or not differ <= 1e-4 * max(1.0, expected.abs().max().item())
    sys.exit(failed)


if __name__ == "__main__":
    main()
