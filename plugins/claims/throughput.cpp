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
    double least = 0.9;
    static void declare(Fields& f, Params& p) {
      f.field("least", p.least, "what counts as comparable: the layer's rows per second over the baseline's").positive();
    }
  };
  explicit Throughput(const Params& p) : p_(p) {}

  std::string title() const override { return "Throughput"; }
  std::string how() const override {
    return "Training steps of the layer d -> 4d by the clock of this machine, in float and bf16, against Linear + GELU and "
           "LayerNorm + Linear + GELU. A time on one machine says little about another: nothing here can refute.";
  }

  void check(const ClaimContext& context, Evidence& evidence) const override {
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
      evidence.at_least(Role::kReading, "throughput of the layer / of Linear + GELU, " + name, gelu / layer, p_.least, 0.3, where);
      evidence.note("throughput of the layer / of LayerNorm + Linear + GELU, " + name, normed / layer, where);
      evidence.note("time of a training step of the layer, " + name + ", in ms", 1e3 * layer, where);
    }
    // By operations alone the kernel's layer is never cheaper than a linear one.
    const double b = 32768, n = 3072, k = 768;
    evidence.at_least(Role::kReading, "operations of a linear layer / of the operator's, GPT-2's MLP",
                      2 * b * n * k / static_cast<double>(op->flops(32768, 3072, 768)), p_.least, 0, "B = 32 x 1024, n = 3072, d = 768");
    evidence.out_of_reach("the paper's hardware and the throughput of its runs, of which it prints no number ('comparable')");
    evidence.tried(fmt::format("float and bf16, {} rows, d = {}, {} units", rows, d, units));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, Throughput, "claim:throughput",
                "throughput comparable to or slightly higher than that of a linear baseline in bf16");

}  // namespace
}  // namespace yatlab
