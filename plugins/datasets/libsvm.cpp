#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/byte_stream.h"
#include "core/data/libsvm_text.h"
#include "core/data/own_data.h"

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
      f.field("title", p.title, "what tables and captions call the set; empty: the file's name");
      f.field("file", p.file, "label index:value ..., also packed (.gz, .xz, .zst)").required();
      f.field("test_file", p.test_file, "the same for split 'test'; null: a share of the samples is held out");
      f.field("features", p.features, "inputs that there are; null: as many as the highest index of both files").positive();
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
    std::int64_t width = 0;
    const auto read = [&](const std::string& split, const std::string& key, const std::string& file) {
      const auto path = find_own_file(key, file, context);
      rows[split] = parse_libsvm(read_unpacked(path), path.string());
      add_file(path);
      if (rows[split].size() == 0) throw data_error(fmt::format("'{}' holds no rows", path.string()));
      width = std::max(width, rows[split].width);
      if (p_.features && width > *p_.features) {
        throw config_error(fmt::format("'dataset.features' = {} is too few", *p_.features), {},
                           fmt::format("'{}' has index {}", path.string(), width));
      }
    };
    read("train", "dataset.file", p_.file);
    if (p_.test_file) read("test", "dataset.test_file", *p_.test_file);
    width = p_.features.value_or(width);
    if (width == 0) throw data_error(fmt::format("{} has no inputs", called()), {}, "every line is a label alone");
    std::map<std::string, OwnSamples> parts;
    for (auto& [split, of] : rows) parts[split] = dense(of, width);
    return finish(std::move(parts), p_.shaping, context);
  }

 private:
  OwnSamples dense(LibsvmRows& rows, std::int64_t width) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;  // values: 8 GiB
    const auto count = static_cast<std::int64_t>(rows.size());
    if (width > kMost / count) {
      throw data_error(fmt::format("{} is too large as dense inputs", called()), {}, fmt::format("{} rows of {} values", count, width),
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
    return out;
  }

  Params p_;
};

YATLAB_REGISTER(Dataset, Libsvm, "libsvm", "your own rows in LIBSVM's text format");

}  // namespace
}  // namespace yatlab
