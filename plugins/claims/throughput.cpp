#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/cost.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;
using namespace claims::cost;

/// "comparable or slightly higher throughput than a linear baseline in our BF16 runs".
class Throughput final : public Claim {
 public:
  struct Params {
    double least = 0.9, slowest = 0.84, fastest = 1.11, at_paper_size = 0.47, at_paper_batch = 0.72;
    static void declare(Fields& f, Params& p) {
      f.field("least", p.least, "smallest ratio of Aether's tokens per second to GPT-2's that counts as comparable").positive();
      f.field("slowest", p.slowest, "lowest ratio of small models on a CPU (docs/measurements/performance.md)").positive();
      f.field("fastest", p.fastest, "highest ratio of small models on a CPU (docs/measurements/performance.md)").positive();
      f.field("at_paper_size", p.at_paper_size,
              "ratio of 124M parameters on a GPU, 8 samples an update (docs/measurements/language_models.md)")
          .positive();
      f.field("at_paper_batch", p.at_paper_batch, "the same with the paper's 32 samples (docs/measurements/performance.md)").positive();
    }
  };
  explicit Throughput(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    measured_elsewhere(context, evidence);
    const auto op = context.op.make();
    const std::int64_t d = context.scaled(256, 64), rows = 2 * d, units = 4 * d;
    for (const auto type : {at::kFloat, at::kBFloat16}) {
      const std::string name = type == at::kFloat ? "float" : "bf16";
      context.tick(type == at::kFloat ? 0.1 : 0.4, "timing in " + name);
      auto g = generator_of(context.seed);
      const auto leaf = [&](at::IntArrayRef sizes) { return normals(sizes, g).to(type).requires_grad_(); };
      const Tensor x = leaf({rows, d}), w = leaf({units, d}), gain = leaf({d}), shift = leaf({d});
      const std::int64_t repeats = context.scaled(9, 3);
      const double layer = step_seconds(repeats, {x, w}, [&] { return op->scores(x, w); });
      const double gelu = step_seconds(repeats, {x, w}, [&] { return at::gelu(at::linear(x, w)); });
      const double normed =
          step_seconds(repeats, {x, w, gain, shift}, [&] { return at::gelu(at::linear(at::layer_norm(x, {d}, gain, shift), w)); });
      const std::string where = fmt::format("{}, {} rows, d = {}, {} units, this machine", name, rows, d, units);
      evidence.note("throughput of the layer / of Linear + GELU, " + name, gelu / layer, where);
      evidence.note("throughput of the layer / of LayerNorm + Linear + GELU, " + name, normed / layer, where);
      evidence.note("time of a training step of the layer, " + name + ", in ms", 1e3 * layer, where);
    }
    // By operation count alone the kernel's layer is never cheaper than a linear one.
    const double b = 32768, n = 3072, k = 768;
    evidence.note("operations of a linear layer / of the operator's, GPT-2's MLP",
                  2 * b * n * k / static_cast<double>(op->flops(32768, 3072, 768)), "B = 32 x 1024, n = 3072, d = 768");
    evidence.set("rows", rows);
    evidence.set("dim", d);
    evidence.set("units", units);
  }

 private:
  /// Whole models, for the product only.
  void measured_elsewhere(const ClaimContext& context, Evidence& evidence) const {
    evidence.set("slowest", p_.slowest);
    evidence.set("fastest", p_.fastest);
    evidence.set("paper_size", p_.at_paper_size);
    evidence.set("paper_batch", p_.at_paper_batch);
    if (context.op.name() != "yat") return;
    evidence.part("comparable");
    evidence.at_least(Role::kCore, "Aether's tokens a second over GPT-2's, 124M parameters: comparable", p_.at_paper_size, p_.least, 0,
                      "123,650 over 265,139: one H200, bf16, 8 x 1,024 tokens, docs/measurements/language_models.md");
    evidence.at_least(Role::kCore, "the same with the paper's batches of 32 x 1,024 tokens", p_.at_paper_batch, p_.least, 0,
                      "188,398 over 262,422: one H200, bf16, docs/measurements/performance.md");
    const char* const where = "nano and mini size, fp32 and bf16, one and two threads, docs/measurements/performance.md";
    evidence.note("the same of small models on a CPU, fastest", p_.fastest, where);
    evidence.note("the same of small models on a CPU, slowest", p_.slowest, where);
  }

  Params p_;
};

YATLAB_REGISTER(Claim, Throughput, "claim:throughput");

}  // namespace
}  // namespace yatlab
