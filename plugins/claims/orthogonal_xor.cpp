#include "plugins/claims/xor_points.h"

namespace yatlab {
namespace {

using namespace claims;

class OrthogonalXor final : public Claim {
 public:
  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double across = 0, smallest = 1e300;
    std::string where;
    double done = 0;
    for (const double epsilon : {1e-3, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {2, 8}) {
        const std::int64_t n = c.scaled(512, 64);
        const Tensor w = normal({n, d}, g);
        Tensor x = normal({n, d}, g);
        for (int again = 0; again < 2; ++again) x = x - (x * unit(w)).sum(-1, true) * unit(w);
        across = std::max(across, (paired(*op, x, w).abs() / (norms(x) * norms(w))).max().item<double>());
        // Unit vectors with |<w, x>| >= 0.01, pushed towards the smallest |E|.
        const auto split = [](const Tensor& p) {
          const Tensor v = unit(p.select(1, 1)), u = p.select(1, 0), s = (u * v).sum(-1, true);
          const Tensor side = unit(u - s * v);
          const Tensor cosine = at::where(s < 0, s.clamp(-1, -0.01), s.clamp(0.01, 1));
          return at::stack({cosine * v + (1 - cosine.square()).clamp_min(0).sqrt() * side, v}, 1);
        };
        const auto low = maximise([&](const Tensor& p) { return -paired(*op, p.select(1, 0), p.select(1, 1)).abs(); },
                                  normal({c.scaled(128, 32), 2, d}, g), split, search_options(c, 80));
        const double ratio = -low.value * (2.02 + epsilon) / 1e-4;
        if (ratio < smallest) {
          smallest = ratio;
          where = fmt::format("d = {}, eps = {:g}: x = {}, w = {}", d, epsilon, text(low.point[0]), text(low.point[1]));
        }
        c.tick(++done / 7, "searching for zeros");
      }
    }
    e.at_most(Role::kCore, "largest |E| / (|x| |w|) of orthogonal pairs", across, 0, 1e-12);
    e.at_least(Role::kCore, "smallest |E| found with |<w, x>| >= 0.01, |x| = |w| = 1, over 1e-4/(2.02 + eps)", smallest, 1, 1e-3, where);
    const auto dots = numbers((xor_points() * xor_weights()).sum(-1));
    e.is_true(Role::kCore, "(1, -1) is orthogonal to (0,0) and (1,1) and to neither (0,1) nor (1,0)",
              dots[0] == 0 && dots[3] == 0 && dots[1] != 0 && dots[2] != 0);
    const Tensor w = row({1, -1});
    e.is_true(Role::kContext, "the cited theorem covers w = (1, -1): entries >= 0 that add up to 1",
              w.min().item<double>() >= 0 && std::abs(w.sum().item<double>() - 1) < 1e-12,
              "thm:min-similarity is about distinct distributions in the simplex");
    e.set("least", w.min().item<double>());
    e.set("sum", w.sum().item<double>());
    e.set("orthogonal", c.scaled(512, 64));
    e.set("starts", c.scaled(128, 32));
  }
};

YATLAB_REGISTER(Claim, OrthogonalXor, "cor:orthogonal-xor");

}  // namespace
}  // namespace yatlab
