#include "core/base/error.h"
#include "plugins/claims/xor_points.h"

namespace yatlab {
namespace {

using namespace claims;

class XorInseparable final : public Claim {
 public:
  struct Params {
    std::vector<std::int64_t> labels{0, 1, 1, 0};
    static void declare(Fields& f, Params& p) { f.field("labels", p.labels, "classes of (0,0), (0,1), (1,0), (1,1)"); }
  };
  explicit XorInseparable(const Params& p) : p_(p) {
    if (p.labels.size() != 4) throw config_error("'labels' needs four classes", "labels");
  }

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    const Tensor points = at::cat({xor_points(), at::ones({4, 1}, at::kDouble)}, 1);
    const auto best_margin = [&](const std::vector<std::int64_t>& labels, std::int64_t starts) {
      std::vector<double> signs;
      for (const auto label : labels) signs.push_back(label ? 1 : -1);
      const Tensor signed_points = points * at::tensor(signs, at::kDouble).unsqueeze(1);
      const auto margin = [&](const Tensor& plane) { return std::get<0>(at::matmul(plane, signed_points.t()).min(1)); };
      SearchOptions o = search_options(c, 200);
      return std::make_pair(maximise(margin, directions(starts, 3, g), unit, o), signed_points);
    };
    const auto [found, signed_points] = best_margin(p_.labels, c.scaled(256, 32));
    c.tick(0.3, "trying all labelings");
    e.at_most(Role::kCore, "largest margin of a separating plane, |(w, b)| = 1", found.value, 0, 1e-12, "(w, b) = " + text(found.point));
    e.equals(Role::kCore, "size of the sum of the points (x, 1), signed by class (0: no plane has four positive margins)",
             signed_points.sum(0).abs().sum().item<double>(), 0, 0);
    int separable = 0;
    for (int code = 0; code < 16; ++code) {
      separable += best_margin({code & 1, (code >> 1) & 1, (code >> 2) & 1, (code >> 3) & 1}, c.scaled(64, 16)).first.value > 1e-3;
    }
    e.note("labelings of the four points that a plane does separate (exact: 14 of 16)", separable);
    e.set("starting", c.scaled(256, 32));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, XorInseparable, "prop:xor-inseparable");

}  // namespace
}  // namespace yatlab
