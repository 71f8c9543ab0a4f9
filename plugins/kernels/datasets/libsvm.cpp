#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/data/byte_stream.h"
#include "core/data/locate.h"
#include "plugins/kernels/datasets/libsvm_text.h"
#include "plugins/kernels/datasets/own_data.h"

namespace yatlab {
namespace {

/// Rows in LIBSVM's format, as dense inputs.
class Libsvm final : public OwnData {
 public:
  struct Params {
    std::string title, file;
    std::optional<std::string> test_file;
    std::optional<std::int64_t> features;
    OwnShaping shaping;
    static void declare(Fields& f, Params& p) {
      f.field("title", p.title, "name of the data set in tables and captions; empty: the file's name");
      f.field("file", p.file, "lines of 'label index:value ...', indices from 1, or from 0 if one is 0; may be compressed (.gz, .xz, .zst)")
          .required();
      f.field("test_file", p.test_file, "such a file for split 'test'; null: a share of the samples is held out");
      f.field("features", p.features, "number of inputs; null: from the highest index in both files").positive();
      OwnShaping::declare(f, p.shaping);
    }
  };
  explicit Libsvm(const Params& p) : p_(p) {}

  DataShape shape() const override {
    const auto inputs = p_.features ? std::vector<std::int64_t>{*p_.features} : std::vector<std::int64_t>();
    return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, inputs, 0, p_.shaping.splits()};
  }

  std::map<std::string, Split> load(const DataContext& context) override {
    begin(p_.title, p_.file);
    std::map<std::string, LibsvmRows> rows;
    std::map<std::string, std::string> paths;
    const auto read = [&](const std::string& split, const std::string& key, const std::string& file) {
      const auto path = find_own_file(key, file, context);
      rows[split] = parse_libsvm(read_unpacked(path), path.string());
      paths[split] = path.string();
      add_file(path);
      if (rows[split].size() == 0) throw data_error(fmt::format("'{}' has no rows", path.string()));
    };
    read("train", "dataset.file", p_.file);
    if (p_.test_file) read("test", "dataset.test_file", *p_.test_file);
    if (std::any_of(rows.begin(), rows.end(), [](const auto& part) { return part.second.from_zero; })) {
      tell(context, fmt::format("{}: indices start at 0", called()));
      for (auto& [split, of] : rows) count_from_zero(of);
    }
    std::int64_t width = 0;
    for (const auto& [split, of] : rows) width = std::max(width, of.width);
    for (const auto& [split, of] : rows) {
      if (p_.features && of.width > *p_.features) {
        throw config_error(fmt::format("'dataset.features' = {} is too small", *p_.features), {},
                           fmt::format("'{}' has index {}", paths.at(split), of.from_zero ? of.width - 1 : of.width),
                           fmt::format("dataset.features={}", width));
      }
    }
    width = p_.features.value_or(width);
    if (width == 0) throw data_error(fmt::format("{} has no inputs", called()), {}, "every line has only a label");
    std::map<std::string, OwnSamples> parts;
    for (auto& [split, of] : rows) parts[split] = dense(of, width, paths.at(split));
    return finish(std::move(parts), p_.shaping, context);
  }

 private:
  OwnSamples dense(LibsvmRows& rows, std::int64_t width, const std::string& path) const {
    constexpr std::int64_t kMostValues = std::int64_t{1} << 31;  // values: 8 GiB
    const auto count = static_cast<std::int64_t>(rows.size());
    if (width > kMostValues / count) {
      throw data_error(fmt::format("{} is too large for dense inputs", called()), {}, fmt::format("{} rows of {} values", count, width),
                       "sparse inputs are for extreme classification: dataset=xc");
    }
    OwnSamples out;
    out.inputs = at::zeros({count, width}, at::kFloat);
    auto* to = out.inputs.data_ptr<float>();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (auto k = rows.begins[r]; k < rows.begins[r + 1]; ++k)
        to[static_cast<std::int64_t>(r) * width + rows.columns[k]] = rows.values[k];
    }
    out.labels = std::move(rows.labels);
    out.place = [path, lines = rows.lines, first = rows.from_zero ? 0 : 1](std::int64_t sample, std::int64_t value) {
      const auto line = fmt::format("{}:{}", path, lines[static_cast<std::size_t>(sample)]);
      return value < 0 ? line : fmt::format("{}, index {}", line, value + first);
    };
    return out;
  }

  Params p_;
};

YATLAB_REGISTER(Dataset, Libsvm, "libsvm", "your own rows in LIBSVM's text format");

}  // namespace
}  // namespace yatlab
