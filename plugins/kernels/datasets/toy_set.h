#pragma once

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/data/dataset.h"

namespace yatlab {

/// The settings of every generated set of points in the plane.
struct ToyParams {
  std::int64_t train_size = 400, test_size = 1000;
  double noise = 0.1;
  std::vector<double> shift = {0, 0};
  static void declare(Fields& f, ToyParams& p) {
    f.field("train_size", p.train_size, "training points").min(1);
    f.field("test_size", p.test_size, "test points").min(1);
    f.field("noise", p.noise, "standard deviation of the noise on both coordinates").non_negative();
    f.field("shift", p.shift, "added to every point: some operators depend on the origin");
  }
};

/// Points in the plane, drawn with the run's seed: "train" and "test" from separate random streams. Sample i belongs to class i mod C, so that
/// classes are equally frequent.
class ToySet : public Dataset {
 public:
  ToySet(std::string name, const ToyParams& p, std::int64_t classes) : name_(std::move(name)), params_(p), classes_(classes) {
    if (p.shift.size() != 2)
      throw config_error(name_ + ".shift must have two coordinates", "dataset.shift", {}, "write dataset.shift=[0,0]");
  }

  DataShape shape() const override {
    return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, input_shape(), num_classes(), DataShape::usual_splits()};
  }
  std::map<std::string, Split> load(const DataContext& context) override {
    std::map<std::string, Split> splits;
    std::string sums;
    for (const auto& [split, size] : {std::pair{"train", params_.train_size}, std::pair{"test", params_.test_size}}) {
      auto generator = at::make_generator<at::CPUGeneratorImpl>(derive_seed(context.seed, name_ + "/" + split));
      const Tensor labels = at::arange(size, at::kLong).remainder(classes_);
      const auto options = at::TensorOptions(at::kDouble);
      Tensor points = place(labels, at::rand({size}, generator, options), at::rand({size}, generator, options));
      points = points + params_.noise * at::randn({size, 2}, generator, options) + at::tensor(params_.shift, options);
      Split out{points.to(at::kFloat).contiguous(), labels};
      sums += sha256(bytes_of(out.inputs)) + sha256(bytes_of(out.targets));
      splits[split] = std::move(out);
    }
    provenance_ = {name_, sha256(sums), "embedded", "", {}};
    return splits;
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {2}; }
  std::int64_t num_classes() const override { return classes_; }

 protected:
  /// The points without noise, [n, 2] double, from their classes [n] and two uniform random numbers in [0, 1) each.
  virtual Tensor place(const Tensor& labels, const Tensor& u, const Tensor& v) const = 0;

  static Tensor polar(const Tensor& radius, const Tensor& angle) { return at::stack({radius * angle.cos(), radius * angle.sin()}, -1); }

 private:
  static std::string_view bytes_of(const Tensor& t) { return {static_cast<const char*>(t.data_ptr()), t.nbytes()}; }

  std::string name_;
  ToyParams params_;
  std::int64_t classes_;
  Provenance provenance_;
};

}  // namespace yatlab
