#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/hash.h"
#include "core/model/saved_bytes.h"
#include "plugins/language/studies/heads_of.h"

namespace yatlab {
namespace {

/// Time and memory of one attention layer without its projections, for one sequence as long as the model's context (SLAY, fig:scaling).
class AttentionScaling final : public Study {
 public:
  struct Params {
    std::int64_t repeats = 5;
    bool backward = false;
    static void declare(Fields& f, Params& p) {
      f.field("repeats", p.repeats, "number of timed runs, of which the median counts, after one warm-up run").positive();
      f.field("backward", p.backward, "measure the backward pass as well");
    }
  };
  explicit AttentionScaling(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    return {with_prefix("scaling/", {MetricDoc("ms").called("time").in("ms").lower().shown(),
                                     MetricDoc("bytes")
                                         .called("most memory alive, beside queries, keys and values")
                                         .in("bytes")
                                         .lower()
                                         .as(NumberFormat::kInteger)
                                         .shown(),
                                     MetricDoc("tokens").called("speed").in("tokens/s").higher().as(NumberFormat::kInteger)}),
            {}};
  }

  Findings run(const StudyContext& context) const override {
    std::shared_ptr<Architecture> model;
    const AttentionHeads& heads = heads_of(context, model, "attention_scaling");
    const auto generator = at::make_generator<at::CPUGeneratorImpl>(derive_seed(context.seed, "scaling"));
    std::vector<Tensor> qkv;
    for (int i = 0; i < 3; ++i) {
      qkv.push_back(at::randn({1, heads.heads(), heads.length(), heads.width()}, generator, at::TensorOptions().dtype(at::kFloat)));
      qkv.back().set_requires_grad(p_.backward);
    }
    const auto pass = [&] {
      const at::AutoGradMode with_gradients(p_.backward);
      const Tensor out = heads.mix(qkv[0], qkv[1], qkv[2]);
      if (p_.backward) out.sum().backward();
    };
    double bytes = 0;
    {
      const MemoryWatch watch;
      pass();
      bytes = static_cast<double>(watch.peak());
    }
    std::vector<double> times;
    for (std::int64_t i = 0; i < p_.repeats; ++i) {
      context.progress(static_cast<double>(i) / static_cast<double>(p_.repeats), fmt::format("{} tokens", heads.length()));
      const auto start = std::chrono::steady_clock::now();
      pass();
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    const double ms = times[times.size() / 2];
    Findings found;
    found.metrics["scaling/ms"] = ms;
    found.metrics["scaling/bytes"] = bytes;
    found.metrics["scaling/tokens"] = 1000 * static_cast<double>(heads.length()) / ms;
    return found;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Study, AttentionScaling, "attention_scaling", "time and memory of one attention layer");

}  // namespace
}  // namespace yatlab
