#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "core/data/locate.h"
#include "core/data/substitute.h"
#include "plugins/kernels/datasets/archive_members.h"
#include "plugins/kernels/datasets/shaping.h"

namespace yatlab {
namespace {

constexpr std::int64_t kCifarChannels = 3, kCifarSide = 32, kCifarPixels = kCifarChannels * kCifarSide * kCifarSide;
constexpr std::int64_t kCifarRecord = 1 + kCifarPixels;  // a label, then red, green and blue, each row by row

}  // namespace

/// CIFAR-10 (Krizhevsky 2009), the binary version: 50000 + 10000 photographs, 3 x 32 x 32. Files: `archive`, a tar archive that contains
/// data_batch_1.bin to data_batch_5.bin and test_batch.bin. Name, checksum and URL come from configs/dataset/cifar10.yaml.
class Cifar10 final : public Dataset {
 public:
  struct Params {
    Node files;
    std::vector<std::string> mirrors, system_paths;
    ComponentRef substitute;
    Shaping shaping;
    static void declare(Fields& f, Params& p) {
      f.map("files", p.files, "archive: {file, sha256, urls}");
      f.field("mirrors", p.mirrors, "URLs of folders that hold the archive, tried in order");
      f.field("system_paths", p.system_paths, "folders where a system package installs the archive");
      f.component("substitute", p.substitute, "dataset",
                  "data set to use instead, with a notice, if the archive is not available; null: an error");
      Shaping::declare(f, p.shaping);
    }
  };
  explicit Cifar10(const Params& p) : params_(p) {}

  DataShape shape() const override {
    return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, input_shape(), num_classes(),
            DataShape::usual_splits(params_.shaping.validation > 0)};
  }
  std::vector<std::int64_t> input_shape() const override { return {kCifarChannels, kCifarSide, kCifarSide}; }
  std::int64_t num_classes() const override { return 10; }
  std::vector<std::string> class_names() const override { return classes_; }
  const Provenance& provenance() const override { return provenance_; }

  /// inputs: float32 [N, 3, 32, 32], targets: int64 [N].
  std::map<std::string, Split> load(const DataContext& context) override {
    if (!params_.files.has("archive")) {
      throw config_error("'dataset.files.archive' is required", params_.files.origin().describe(), {},
                         "configs/dataset/cifar10.yaml has it: use dataset=cifar10");
    }
    const auto set = declare_files("cifar10", params_.files, params_.mirrors, params_.system_paths);
    const auto located = locate(set, context);
    std::map<std::string, Split> splits;
    if (located.missing.empty()) {
      const auto& path = located.paths.at("archive");
      splits = read(path);
      provenance_ = {"cifar10", combined_sha256(set), located.tier, "", {path.string()}};
    } else {
      if (context.require_real || params_.substitute.empty()) throw missing_error(set, context, located.missing);
      splits = stand_in(context, located.missing);
    }
    shape_splits(splits, params_.shaping, context.seed);
    return splits;
  }

 private:
  static std::map<std::string, Split> read(const std::filesystem::path& path) {
    std::map<std::string, std::string> batches;
    each_tar_member(path, [&](const std::string& name, std::string_view bytes) {
      const auto file = std::filesystem::path(name).filename().string();
      if (file.rfind(".bin") != std::string::npos) batches[file] = bytes;
    });
    const std::vector<std::string> train = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                                            "data_batch_5.bin"};
    return {{"train", joined(batches, train, path)}, {"test", joined(batches, {"test_batch.bin"}, path)}};
  }

  /// The records of those files, concatenated.
  static Split joined(const std::map<std::string, std::string>& batches, const std::vector<std::string>& files,
                      const std::filesystem::path& path) {
    std::vector<const std::string*> parts;
    std::int64_t images = 0;
    for (const auto& file : files) {
      const auto it = batches.find(file);
      if (it == batches.end()) {
        throw data_error(fmt::format("'{}' does not contain '{}'", path.string(), file), {},
                         "it is not the archive of CIFAR-10's binary version");
      }
      const auto bytes = static_cast<std::int64_t>(it->second.size());
      if (bytes == 0 || bytes % kCifarRecord != 0) {
        throw data_error(fmt::format("'{}' in '{}' is not a CIFAR-10 batch", file, path.string()), {},
                         fmt::format("{} bytes are not a multiple of {}", bytes, kCifarRecord));
      }
      parts.push_back(&it->second);
      images += bytes / kCifarRecord;
    }
    Split out{at::empty({images, kCifarChannels, kCifarSide, kCifarSide}, at::kByte), at::empty({images}, at::kLong)};
    auto* pixels = out.inputs.data_ptr<std::uint8_t>();
    auto* label = out.targets.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t at = 0; at < parts[i]->size(); at += kCifarRecord) {
        *label = static_cast<unsigned char>((*parts[i])[at]);
        if (*label > 9) {
          throw data_error(fmt::format("'{}' in '{}' contains a label out of range", files[i], path.string()), {},
                           fmt::format("expected 0 to 9, found {}", *label));
        }
        std::memcpy(pixels, parts[i]->data() + at + 1, kCifarPixels);
        pixels += kCifarPixels;
        ++label;
      }
    }
    return out;
  }

  std::map<std::string, Split> stand_in(const DataContext& context, const std::string& why) {
    auto other = load_substitute("cifar10", params_.substitute, context, why, "generated data");
    if (other.dataset->input_shape() != input_shape() || other.dataset->num_classes() != num_classes()) {
      throw unfit_substitute("cifar10", params_.substitute,
                             fmt::format("inputs {} and {} classes, expected {} and {}", fmt::join(other.dataset->input_shape(), " x "),
                                         other.dataset->num_classes(), fmt::join(input_shape(), " x "), num_classes()));
    }
    classes_ = other.dataset->class_names();
    provenance_ = other.provenance;
    provenance_.tier = "embedded";
    return std::move(other.splits);
  }

  Params params_;
  std::vector<std::string> classes_ = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
  Provenance provenance_;
};

YATLAB_REGISTER(Dataset, Cifar10, "cifar10", "photographs of animals and vehicles, 3 x 32 x 32, 50000 + 10000");

}  // namespace yatlab
