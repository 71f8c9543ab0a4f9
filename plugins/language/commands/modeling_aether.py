"""A language model trained by Yatlab, in PyTorch: attention and feed-forward layers of any of its kernels (Aether: the yat product).

With transformers:  AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True)
With PyTorch alone: from modeling_aether import AetherForCausalLM; AetherForCausalLM.from_pretrained(folder)
Tensors have the names of model.safetensors. No cache of keys and values: every token is computed from the whole text.
"""
import json, math, struct
from pathlib import Path
import torch
from torch import nn
from torch.nn import functional as F

try:
    from transformers import GenerationMixin, PretrainedConfig, PreTrainedModel
    from transformers.modeling_outputs import CausalLMOutput
except ImportError:
    from types import SimpleNamespace as CausalLMOutput, SimpleNamespace as PretrainedConfig
    GenerationMixin = object

    class PreTrainedModel(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.config = config

        @classmethod
        def from_pretrained(cls, folder):
            model = cls(AetherConfig(**json.loads((Path(folder) / "config.json").read_text())))
            data = bytearray((Path(folder) / "model.safetensors").read_bytes())
            end = 8 + struct.unpack("<Q", data[:8])[0]
            entries = {name: e for name, e in json.loads(bytes(data[8:end])).items() if name != "__metadata__"}
            model.load_state_dict({name: torch.frombuffer(data, dtype=torch.float32, count=math.prod(e["shape"]),  # all are F32
                                                          offset=end + e["data_offsets"][0]).view(e["shape"]) for name, e in entries.items()})
            return model.eval()

class AetherConfig(PretrainedConfig):
    model_type = "aether"

def empty(*shape):
    return nn.Parameter(torch.zeros(shape))

def scores(kernel, x, w, bias, free_epsilon):  # x [..., B, d], w [..., n, d] -> [..., B, n]
    name = kernel["name"]
    if name == "cosine" or kernel.get("spherical"):
        floor = kernel["epsilon"] if name == "cosine" else 1e-8
        x, w = (t / t.norm(dim=-1, keepdim=True).clamp_min(floor) for t in (x, w))
    plain = 0 if bias is None else bias
    if name in ("dot", "cosine"):
        return x @ w.transpose(-2, -1) + plain
    squared = torch.cdist(x, w, compute_mode="donot_use_mm_for_euclid_dist").square()
    if name == "euclidean":
        form = kernel["form"]
        return plain + (-squared if form == "squared" else -squared.sqrt() if form == "distance" else 1 / (squared + kernel["epsilon"]))
    epsilon = kernel["epsilon"] if free_epsilon is None else F.softplus(free_epsilon)
    product, after = x @ w.transpose(-2, -1), kernel["bias_place"] == "after"
    inside = product if after else product + plain
    return inside * (inside / (squared + epsilon)) + (plain if after else 0)

def normalized(function, s, seen):
    name, power = function["name"], function["power"]
    if name == "softmax":
        return (power * s).masked_fill(~seen, -math.inf).softmax(-1)
    s = s.masked_fill(~seen, 0)
    if name == "softermax":
        top = s.amax(-1, keepdim=True).where(s.amax(-1, keepdim=True) > 0, torch.ones((), device=s.device))
        powers = (s / top) ** power
        y = powers / (powers.sum(-1, keepdim=True) + (math.log(function["epsilon"]) - power * top.log()).exp())
    else:  # each score alone; 1 - 2 / (1 + p) and its like hold for infinite p, too
        y = 1 - (2 if name == "soft_tanh" else 1) / (1 + s ** power)
    return y.masked_fill(~seen, 0)

class Part(nn.Module):
    def __init__(self, *shape, bias=False, alpha=False):
        super().__init__()
        self.weight, self.bias, self.alpha = empty(*shape), empty(shape[0]) if bias else None, empty() if alpha else None

class Block(nn.Module):
    def __init__(self, a):
        super().__init__()
        d, hidden, bias, nmn = a["width"], a["width"] * a["mlp"]["ratio"], a["bias"], a["mlp"]["kind"] == "nmn"
        if a["norm"]["place"] != "none":
            self.norm1, self.norm2 = (Part(d, bias=bias and a["norm"]["kind"] == "layer") for _ in range(2))
        self.attention, self.mlp = nn.Module(), nn.Module()
        self.attention.qkv, self.attention.out = Part(3 * d, d, bias=bias), Part(d, d, bias=bias)
        self.attention.scale = empty(1) if a["attention"]["scale"] == "learned" else None
        first = Part(hidden, d, bias=bias, alpha=nmn and a["mlp"]["scale"] not in ("constant", "none"))
        setattr(self.mlp, "nmn" if nmn else "up", first)
        self.mlp.down = Part(d, hidden, bias=bias)

class AetherForCausalLM(PreTrainedModel, GenerationMixin):
    config_class = AetherConfig

    def __init__(self, config):
        super().__init__(config)
        a = self.a = config.architecture
        self.tokens, self.positions = empty(config.vocab_size, a["width"]), empty(a["context"], a["width"])
        for i in range(a["layers"]):
            self.add_module(f"block{i}", Block(a))
        self.norm = Part(a["width"], bias=a["bias"] and a["norm"]["kind"] == "layer") if a["norm"]["place"] == "pre" else None
        self.head = None if a["tied"] else empty(config.vocab_size, a["width"])
        self.kernels = [a["attention"]["operator"] or config.operator, a["mlp"]["operator"] or config.operator]
        self.function = a["attention"]["normalizer"] or config.normalizer or {"name": "softmax", "power": 1}
        if config.operator.get("learn_epsilon"):  # one for all layers
            self.operator = nn.Module()
            self.operator.free_epsilon = empty()
        if hasattr(self, "post_init"):
            self.post_init()

    def _init_weights(self, module):
        pass

    def normed(self, part, x):
        if self.a["norm"]["kind"] == "layer":
            return F.layer_norm(x, part.weight.shape, part.weight, part.bias, 1e-5)
        return x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * part.weight

    def attend(self, block, x, free_epsilon):
        (b, t, d), h = x.shape, self.a["heads"]
        q, k, v = F.linear(x, block.attention.qkv.weight, block.attention.qkv.bias).view(b, t, 3, h, d // h).permute(2, 0, 3, 1, 4)
        s = scores(self.kernels[0], q, k, None, free_epsilon)
        kind = self.a["attention"]["scale"]
        s = s / math.sqrt(d // h) if kind == "sqrt" else s * block.attention.scale if kind == "learned" else s
        weights = normalized(self.function, s, torch.ones(t, t, dtype=torch.bool, device=x.device).tril())
        return F.linear((weights @ v).transpose(1, 2).reshape(b, t, d), block.attention.out.weight, block.attention.out.bias)

    def feed(self, block, x, free_epsilon):
        m = self.a["mlp"]
        if m["kind"] == "nmn":
            layer, n = block.mlp.nmn, block.mlp.nmn.weight.shape[0]
            base = {"n_over_log": n / math.log1p(n), "sqrt_n_over_log": math.sqrt(n) / math.log1p(n)}.get(m["scale"])
            factor = base ** layer.alpha if base else layer.alpha if m["scale"] == "multiply" else {"constant": math.sqrt(2)}.get(m["scale"], 1)
            y = factor * scores(self.kernels[1], x, layer.weight, layer.bias, free_epsilon)
        else:
            y = F.gelu(F.linear(x, block.mlp.up.weight, block.mlp.up.bias), approximate="none" if m["kind"] == "gelu" else "tanh")
        return F.linear(y, block.mlp.down.weight, block.mlp.down.bias)

    def forward(self, input_ids, labels=None, **unused):
        free_epsilon, place = self.operator.free_epsilon if hasattr(self, "operator") else None, self.a["norm"]["place"]
        x = self.tokens[input_ids] + self.positions[: input_ids.shape[1]]
        for i in range(self.a["layers"]):
            block = getattr(self, f"block{i}")
            for norm, half in (("norm1", self.attend), ("norm2", self.feed)):
                y = x + half(block, self.normed(getattr(block, norm), x) if place == "pre" else x, free_epsilon)
                x = self.normed(getattr(block, norm), y) if place == "post" else y
        x = self.normed(self.norm, x) if place == "pre" else x
        logits = x @ (self.tokens if self.a["tied"] else self.head).T
        loss = None if labels is None else F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
        return CausalLMOutput(loss=loss, logits=logits)

    def prepare_inputs_for_generation(self, input_ids, **unused):
        return {"input_ids": input_ids[:, -self.a["context"]:]}
