#include "plugins/kernels/layers/batch_norm.h"

#include <ATen/ATen.h>

#include "catch.h"
#include "core/base/error.h"
#include "helpers.h"
#include "ops/gradients.h"
#include "temporary_folder.h"
#include "train/training.h"

namespace yatlab {
namespace {

using gradients::relative_error;
using testing::error_of;
using testing::spec;

TEST_CASE("batch normalisation uses batch moments in training and running ones otherwise", "[batch_norm]") {
  at::manual_seed(21);
  BatchNorm norm(3);
  norm.to(at::kDouble);
  const at::Tensor x = at::randn({5, 2, 4, 3}, at::kDouble) * 2 + 7, rows = x.reshape({-1, 3});
  const at::NoGradGuard no_grad;
  norm.weight.copy_(at::tensor({2.0, 1.0, -1.0}));
  norm.bias.copy_(at::tensor({0.5, 0.0, 1.0}));
  const auto normalised = [&](const at::Tensor& mean, const at::Tensor& var) {
    return (x - mean) / (var + 1e-5).sqrt() * norm.weight + norm.bias;
  };
  const auto version = norm.running_mean._version();
  const at::Tensor y = norm.forward(x);
  REQUIRE(y.sizes() == x.sizes());
  CHECK(relative_error(y, normalised(rows.mean(0), rows.var(0, false))) < 1e-12);
  CHECK(relative_error(norm.running_mean, 0.1 * rows.mean(0)) < 1e-12);
  CHECK(relative_error(norm.running_var, 0.9 + 0.1 * rows.var(0, true)) < 1e-12);
  CHECK(norm.running_mean._version() > version);  // ranks use the version to detect that steps change it
  norm.eval();
  const at::Tensor mean = norm.running_mean.clone(), var = norm.running_var.clone();
  CHECK(relative_error(norm.forward(x), normalised(mean, var)) < 1e-12);
  CHECK(at::equal(norm.running_mean, mean));
  CHECK(at::equal(norm.running_var, var));
  // Vectors, and a single vector.
  CHECK(relative_error(norm.forward(rows), norm.forward(x).reshape({-1, 3})) < 1e-12);
  CHECK(relative_error(norm.forward(rows.narrow(0, 3, 1)), norm.forward(rows).narrow(0, 3, 1)) < 1e-12);
  norm.train();
  CHECK_THAT(error_of([&] { norm.forward(rows.narrow(0, 3, 1)); }), Catch::Matchers::ContainsSubstring("trainer.drop_last=true"));
  CHECK(at::equal(norm.running_mean, mean));
}

TEST_CASE("batch normalisation has the right derivatives", "[batch_norm]") {
  at::manual_seed(22);
  const auto f = [](const std::vector<at::Tensor>& in) {
    BatchNorm norm(2);
    norm.to(at::kDouble);
    norm.weight = in[1];
    norm.bias = in[2];
    return norm.forward(in[0]);
  };
  CHECK(gradients::first_order_error(f, {at::randn({3, 2, 2, 2}, at::kDouble), at::randn({2}, at::kDouble), at::randn({2}, at::kDouble)}) <
        1e-7);
}

/// The points as images of 2 x 2 pixels.
testing::Setup images_of_points(const Node& architecture) {
  testing::Setup s;
  s.architecture = architecture;
  s.input_shape = {2, 2};
  for (auto& [name, split] : s.splits) split.inputs = split.inputs.view({-1, 2, 2});
  return s;
}

TEST_CASE("a training with running statistics resumes bitwise identically", "[batch_norm][resume]") {
  for (const auto& node :
       {spec("cnn", {{"normalization", "batch"}, {"channels", Node(Node::List{Node(3)})}}),
        spec("mlp", {{"normalization", "batch"}, {"hidden", Node(Node::List{Node(5)})}}), spec("resnet", {{"width", 2}, {"blocks", 1}})}) {
    const auto s = images_of_points(node);
    const TemporaryFolder whole, parts;
    testing::Recorder expected, rows;
    const auto one = testing::train(s, whole.path(), expected);
    for (const int stop : {5, 9}) testing::train(s, parts.path(), rows, testing::after(stop));
    const auto other = testing::train(s, parts.path(), rows);
    CHECK(other.outcome.resumed);
    CHECK(other.model == one.model);
    CHECK(rows.rows == expected.rows);
    const auto kept = [](const fs::path& folder, std::int64_t step) { return CheckpointStore(folder).load_model(step); };
    const auto a = kept(whole.path(), one.outcome.steps), b = kept(parts.path(), one.outcome.steps);
    REQUIRE(a.size() == b.size());
    int running = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      INFO(a[i].first);
      CHECK(at::equal(a[i].second, b[i].second));
      if (a[i].first.find("running_var") != std::string::npos) {
        ++running;
        CHECK_FALSE(at::equal(a[i].second, at::ones_like(a[i].second)));
      }
    }
    CHECK(running > 0);
  }
}

}  // namespace
}  // namespace yatlab
