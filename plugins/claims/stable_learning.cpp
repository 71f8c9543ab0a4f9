#include "core/verdict/statistics.h"
#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

class StableLearning final : public Claim {
 public:
  struct Params {
    double exponent = 1;
    static void declare(Fields& f, Params& p) {
      f.field("exponent", p.exponent, "the decay rate O(1/‖x‖^exponent) of the proof").non_negative();
    }
  };
  explicit StableLearning(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double worst = 0;
    std::string where;
    double done = 0;
    for (const double epsilon : {1e-5, 1e-2, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {2, 5, 32}) {
        const std::int64_t n = c.scaled(128, 16);
        const Tensor w = directions(n, d, g) * (0.2 + 2 * uniform({n, 1}, g));
        const double k = 1e6;
        const auto size = [&](const Tensor& u) { return norms(gradient(*op, k * unit(u), w)) / w.square().sum(-1); };
        SearchOptions o = search_options(c, 60);
        o.keep = n;
        o.refinements = 0;
        const auto found = maximise(size, directions(n, d, g), unit, o);
        if (!(found.value <= worst)) {
          worst = found.value;
          where = fmt::format("d = {}, eps = {:g}, |x| = 1e6, direction {}", d, epsilon, text(found.point));
        }
        c.tick(++done / 13, "searching directions");
      }
    }
    e.at_most(Role::kCore, "largest |grad_x E| / |w|^2 at |x| = 1e6, |w| = 0.2..2.2", worst, 0, 1e-4, where);
    // |x| |grad| tends to |w|^2 |sin 2 theta|.
    e.note("the same times |x|", worst * 1e6);

    const auto op = c.op.with_epsilon(1);
    const Tensor w = row({1, 0});
    const auto along = [&](const Tensor& u) {
      std::vector<double> ks, sizes;
      for (double k = 1e2; k < 1.5e5; k *= std::sqrt(10.0)) {
        ks.push_back(k);
        sizes.push_back(norms(gradient(*op, k * u, w)).item<double>() + 1e-300);
      }
      return fit_power_law(ks, sizes).slope;
    };
    const double generic = along(row({0.6, 0.8}));
    e.at_most(Role::kDetail, "fitted exponent of |grad_x E| along a generic ray", generic, -p_.exponent, 0.02,
              "w = (1, 0), u = (0.6, 0.8), eps = 1, |x| = 1e2..1e5: tangential, |w|^2 |sin 2 theta| / |x|");
    e.note("exponent along the prototype's own ray (radial part alone)", along(row({1, 0})));
    e.note("gradient on the ray orthogonal to w", norms(gradient(*op, row({0, 1e3}), w)).item<double>());

    // The effect of an outlier on the prototype: E tends to <w,u>^2, whose gradient with respect to w is 2<w,u>u.
    const Tensor far = 1e6 * row({0.6, 0.8});
    const Tensor pull = gradient_in_w(*op, far, w);
    e.note("|grad_w E|, the gradient that moves the prototype, at |x| = 1e6", norms(pull).item<double>(),
           "w = (1, 0), u = (0.6, 0.8), eps = 1; the statement is about grad_x");
    const double expected = norms(pull - row({0.72, 0.96})).item<double>();
    e.at_most(Role::kCorrected, "|grad_w E - 2<w,u>u| there", expected, 0, 1e-4);
    e.set("pull", norms(pull).item<double>());
    e.set("prototypes", c.scaled(128, 16));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, StableLearning, "prop:stable-learning");

}  // namespace
}  // namespace yatlab
