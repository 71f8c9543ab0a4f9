#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/locate.h"
#include "plugins/kernels/datasets/npy.h"
#include "plugins/kernels/datasets/own_data.h"

namespace yatlab {
namespace {

/// Usual names of arrays in a .npz file: for all samples, or with "_train" and "_test" appended.
struct UsualNames {
  const char *inputs, *targets;
};
constexpr UsualNames kUsual[] = {{"x_train", "y_train"}, {"X_train", "y_train"}, {"x", "y"},          {"X", "y"},
                                 {"data", "target"},     {"inputs", "targets"},  {"images", "labels"}};
constexpr UsualNames kUsualTest[] = {{"x_test", "y_test"}, {"X_test", "y_test"}};
constexpr UsualNames kUsualValidation[] = {{"x_val", "y_val"},
                                           {"X_val", "y_val"},
                                           {"x_valid", "y_valid"},
                                           {"X_valid", "y_valid"},
                                           {"x_validation", "y_validation"},
                                           {"X_validation", "y_validation"},
                                           {"x_dev", "y_dev"},
                                           {"X_dev", "y_dev"}};

/// The user's labelled arrays: a .npz file, or .npy files.
class Arrays final : public OwnData {
 public:
  struct Params {
    std::string title;
    std::optional<std::string> file, inputs, targets, test_inputs, test_targets;
    OwnShaping shaping;
    static void declare(Fields& f, Params& p) {
      f.field("title", p.title, "name of the data set in tables and captions; empty: the file's name");
      f.field("file", p.file, "a .npz file; null: inputs and targets are .npy files");
      f.field("inputs", p.inputs,
              "training inputs [N, ...]: the array's name in the .npz file, or a .npy file; null: x_train, x or another usual name");
      f.field("targets", p.targets, "classes of the training inputs [N], numbers or words; null: y_train, y or another usual name");
      f.field("test_inputs", p.test_inputs, "test inputs; null: x_test if present, else a share of the samples is held out");
      f.field("test_targets", p.test_targets, "classes of the test inputs; null: y_test if present");
      OwnShaping::declare(f, p.shaping);
    }
  };
  explicit Arrays(const Params& p) : p_(p) {}

  DataShape shape() const override {
    const bool usual = p_.file && !p_.inputs;  // then the array names tell which splits there are
    return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, {}, 0, usual ? std::vector<std::string>() : p_.shaping.splits()};
  }

  std::map<std::string, Split> load(const DataContext& context) override {
    begin(p_.title, p_.file ? *p_.file : p_.inputs.value_or("arrays"));
    std::map<std::string, NpyArray> arrays;
    auto names = names_given();
    if (p_.file) {
      const auto path = find_own_file("dataset.file", *p_.file, context);
      arrays = read_npz(path);
      add_file(path);
      names = complete(names, arrays, path.string());
      notice_unused_arrays(names, arrays, context);
    } else {
      for (auto& [key, name] : names) {
        if (arrays.count(name)) continue;
        const auto path = find_own_file("dataset." + key, name, context);
        arrays[name] = read_npy(path);
        add_file(path);
      }
    }
    tell_of_inputs(arrays.at(names.at("inputs")), context);
    std::map<std::string, OwnSamples> parts;
    parts["train"] = samples(arrays, names, "inputs", "targets");
    if (names.count("test_inputs")) parts["test"] = samples(arrays, names, "test_inputs", "test_targets");
    if (names.count("validation_inputs")) parts["validation"] = samples(arrays, names, "validation_inputs", "validation_targets");
    return finish(std::move(parts), p_.shaping, context);
  }

 private:
  using Names = std::map<std::string, std::string>;  // "inputs" -> "x_train"

  Names names_given() const {
    Names out;
    for (const auto& [key, name] : {std::pair{"inputs", &p_.inputs}, std::pair{"targets", &p_.targets},
                                    std::pair{"test_inputs", &p_.test_inputs}, std::pair{"test_targets", &p_.test_targets}}) {
      if (*name) out[key] = **name;
    }
    for (const auto& [a, b] : {std::pair{"inputs", "targets"}, std::pair{"test_inputs", "test_targets"}}) {
      if (out.count(a) != out.count(b)) {
        throw config_error(fmt::format("'dataset.{}' needs 'dataset.{}'", out.count(a) ? a : b, out.count(a) ? b : a), {},
                           "inputs need classes");
      }
    }
    if (!p_.file && !out.count("inputs")) {
      throw config_error("'dataset.file' is required", {}, "or 'dataset.inputs' and 'dataset.targets'",
                         "dataset.file=digits.npz, or dataset.inputs=x.npy dataset.targets=y.npy");
    }
    return out;
  }

  /// Fills in the usual names for those not given.
  static Names complete(Names names, const std::map<std::string, NpyArray>& arrays, const std::string& path) {
    const auto there = [&] {
      std::vector<std::string> out;
      for (const auto& [name, array] : arrays) out.push_back(fmt::format("{} ({})", name, array.text()));
      return fmt::format("{} contains {}", path, join(out, ", "));
    };
    for (const auto& [key, name] : names) {
      if (!arrays.count(name)) throw config_error(fmt::format("'dataset.{}' = '{}' is not an array of the file", key, name), {}, there());
    }
    if (names.count("inputs")) return names;
    const auto take = [&](const UsualNames& usual, const std::string& split) {
      if (names.count(split + "inputs") || !arrays.count(usual.inputs) || !arrays.count(usual.targets)) return;
      names[split + "inputs"] = usual.inputs;
      names[split + "targets"] = usual.targets;
    };
    for (const auto& usual : kUsual) take(usual, "");
    if (names.count("inputs")) {
      if (names.at("targets") == "y_train") {
        for (const auto& usual : kUsualTest) take(usual, "test_");
        for (const auto& usual : kUsualValidation) take(usual, "validation_");
      }
      return names;
    }
    throw config_error("cannot tell which arrays are the inputs and their classes", {}, there(),
                       "set dataset.inputs=NAME dataset.targets=NAME");
  }

  /// Notifies the user of unused arrays: x_test without y_test, say.
  void notice_unused_arrays(const Names& names, const std::map<std::string, NpyArray>& arrays, const DataContext& context) const {
    std::vector<std::string> others;
    for (const auto& [name, array] : arrays) {
      if (std::none_of(names.begin(), names.end(), [&, &name = name](const auto& taken) { return taken.second == name; }))
        others.push_back(fmt::format("{} ({})", name, array.text()));
    }
    if (!others.empty()) tell(context, fmt::format("{}: not used: {}", called(), shortened(join(others, ", "))));
  }

  /// Notifies the user of properties of the inputs that may be unexpected.
  void tell_of_inputs(const NpyArray& inputs, const DataContext& context) const {
    constexpr std::int64_t kExact = std::int64_t{1} << 24;  // exact integers in float32
    const auto& numbers = inputs.numbers;
    if (!numbers.defined() || numbers.numel() == 0) return;
    if (numbers.scalar_type() == at::kLong || numbers.scalar_type() == at::kInt) {
      const auto rounded = numbers.to(at::kFloat).to(at::kDouble).ne(numbers.to(at::kDouble)).sum().item<std::int64_t>();
      if (rounded > 0)
        tell(context, fmt::format("{}: {} integers above {} are rounded, because inputs are float32", called(), rounded, kExact));
    }
    const auto few = [&](std::int64_t k) { return numbers.size(k) == 1 || numbers.size(k) == 3; };
    if (numbers.dim() == 4 && few(3) && !few(1)) {
      tell(context, fmt::format("{}: inputs are read as {} channels of {} x {} pixels: if channels are last, save np.moveaxis(x, -1, 1)",
                                called(), numbers.size(1), numbers.size(2), numbers.size(3)));
    }
  }

  static OwnSamples samples(const std::map<std::string, NpyArray>& arrays, const Names& names, const char* inputs_key,
                            const char* targets_key) {
    const auto &inputs_name = names.at(inputs_key), &targets_name = names.at(targets_key);
    const auto &inputs = arrays.at(inputs_name), &targets = arrays.at(targets_name);
    if (!inputs.numbers.defined()) {
      throw data_error(fmt::format("'{}' contains strings", inputs_name), std::string("dataset.") + inputs_key, "inputs must be numbers",
                       "for columns of words use dataset=table");
    }
    if (inputs.shape.empty()) throw data_error(fmt::format("'{}' is a single value", inputs_name), std::string("dataset.") + inputs_key);
    OwnSamples out;
    out.inputs = inputs.numbers.scalar_type() == at::kByte ? inputs.numbers : inputs.numbers.to(at::kFloat);
    out.place = [inputs_name, targets_name](std::int64_t sample, std::int64_t value) {
      return value < 0 ? fmt::format("'{}', sample {}", targets_name, sample)
                       : fmt::format("'{}', sample {}, value {}", inputs_name, sample, value);
    };
    out.labels = labels(targets, targets_name, std::string("dataset.") + targets_key);
    if (out.inputs.size(0) != static_cast<std::int64_t>(out.labels.size())) {
      throw data_error(fmt::format("'{}' and '{}' have different lengths", inputs_name, targets_name), {},
                       fmt::format("{} inputs, {} classes", out.inputs.size(0), out.labels.size()));
    }
    return out;
  }

  static std::vector<std::string> labels(const NpyArray& array, const std::string& name, const std::string& key) {
    auto shape = array.shape;
    while (shape.size() > 1 && shape.back() == 1) shape.pop_back();  // [N, 1] becomes [N]
    if (shape.size() != 1) {
      throw data_error(fmt::format("'{}' does not have one class for each sample", name), key,
                       fmt::format("its shape is {}", fmt::join(array.shape, " x ")), "for one-hot classes [N, C] save y.argmax(1)");
    }
    if (!array.numbers.defined()) return array.strings;
    const auto values = array.numbers.flatten().to(at::kDouble).contiguous();
    std::vector<std::string> out;
    for (std::int64_t i = 0; i < values.numel(); ++i) {
      const double value = values.data_ptr<double>()[i];
      if (value != std::floor(value) || std::abs(value) > 9e15) {
        throw data_error(fmt::format("'{}' contains {}, which is not a class", name, value), fmt::format("{}: sample {}", key, i),
                         "classes are integers or words");
      }
      out.push_back(fmt::format("{}", static_cast<std::int64_t>(value)));
    }
    return out;
  }

  Params p_;
};

YATLAB_REGISTER(Dataset, Arrays, "arrays", "your own labelled arrays: .npz or .npy files");

}  // namespace
}  // namespace yatlab
