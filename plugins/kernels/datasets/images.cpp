#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/data/checked_text.h"
#include "core/data/locate.h"
#include "plugins/kernels/datasets/image_file.h"
#include "plugins/kernels/datasets/own_data.h"

namespace yatlab {
namespace {

bool hidden(const fs::path& path) { return path.filename().string().front() == '.'; }

/// The user's images: one folder per class.
class Images final : public OwnData {
 public:
  struct Params {
    std::string title;
    std::string folder;
    std::vector<std::int64_t> size;
    std::optional<std::int64_t> channels;
    OwnShaping shaping;
    static void declare(Fields& f, Params& p) {
      f.field("title", p.title, "name of the data set in tables and captions; empty: the file's name");
      f.field("folder", p.folder,
              "folder with a subfolder of PNG or JPEG images for each class, or with train, test and val folders of such subfolders")
          .required();
      f.field("size", p.size, "rows and columns to resize images to: 'dataset.size=[28,28]'; empty: all have the same size");
      f.field("channels", p.channels, "1: grey, 3: colour; null: as in the files").range(1, 3);
      OwnShaping::declare(f, p.shaping);
    }
  };
  explicit Images(const Params& p) : p_(p) {
    if (!p.size.empty() && (p.size.size() != 2 || p.size[0] < 1 || p.size[1] < 1)) {
      const auto most = p.size.empty() ? 0 : *std::max_element(p.size.begin(), p.size.end());
      throw config_error(fmt::format("'dataset.size' cannot be [{}]", fmt::join(p.size, ", ")), {}, "it is rows and columns, both above 0",
                         fmt::format("'dataset.size=[{0},{0}]'", most > 0 ? most : 28));
    }
    if (p.channels == 2) throw config_error("'dataset.channels' cannot be 2", {}, {}, "1 is grey, 3 is colour");
  }

  DataShape shape() const override { return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, {}, 0, {}}; }

  std::map<std::string, Split> load(const DataContext& context) override {
    const auto root = find_own_file("dataset.folder", p_.folder, context);
    begin(p_.title, p_.folder);
    std::string sums;
    std::map<std::string, OwnSamples> parts;
    const auto folders = folders_of_splits(root, context);
    if (folders.empty()) {
      parts["train"] = read(root, root, sums, context);
    } else {
      for (const char* split : {"train", "validation", "test"}) {
        if (const auto it = folders.find(split); it != folders.end()) parts[split] = read(it->second, root, sums, context);
      }
    }
    add_folder(root, sums);
    return finish(std::move(parts), p_.shaping, context);
  }

 private:
  /// Folders that are named like splits and contain folders (a class may be called train). Empty if there are none.
  std::map<std::string, fs::path> folders_of_splits(const fs::path& root, const DataContext& context) const {
    static const std::map<std::string, std::string> kSplitNames = {
        {"train", "train"},           {"training", "train"}, {"val", "validation"}, {"valid", "validation"},
        {"validation", "validation"}, {"dev", "validation"}, {"test", "test"},      {"testing", "test"}};
    std::map<std::string, fs::path> out;
    std::vector<std::string> others;
    for (const auto& entry : entries_of(root)) {
      if (hidden(entry) || !fs::is_directory(entry)) continue;
      const auto name = entry.filename().string();
      const auto it = kSplitNames.find(lower(name));
      const auto inside = it == kSplitNames.end() ? std::vector<fs::path>() : entries_of(entry);
      if (std::none_of(inside.begin(), inside.end(), [](const fs::path& p) { return !hidden(p) && fs::is_directory(p); })) {
        others.push_back(name);
        continue;
      }
      if (const auto [first, fresh] = out.emplace(it->second, entry); !fresh) {
        throw data_error(fmt::format("'{}' and '{}' both contain {} samples", first->second.string(), entry.string(), it->second),
                         "dataset.folder", {}, "put all of them into one folder");
      }
    }
    if (out.empty()) return out;
    if (!out.count("train")) {
      throw data_error(
          fmt::format("'{}' contains no training samples", root.string()), "dataset.folder",
          fmt::format("'{}' contains {} samples, but there is no folder 'train'", out.begin()->second.string(), out.begin()->first),
          "name the folder of the training samples 'train'");
    }
    if (!others.empty())
      tell(context,
           fmt::format("{}: ignored folder{} beside train: {}", called(), others.size() == 1 ? "" : "s", shortened(join(others, ", "))));
    return out;
  }

  /// Every class's images, sorted by name: [N, rows, columns] if grey, else [N, 3, rows, columns].
  OwnSamples read(const fs::path& folder, const fs::path& root, std::string& sums, const DataContext& context) const {
    OwnSamples out;
    std::vector<at::Tensor> images;
    std::vector<fs::path> paths;
    std::size_t others = 0, turned = 0, rounded = 0, gamma = 0;
    for (const auto& entry : entries_of(folder)) {
      if (hidden(entry)) continue;
      if (!fs::is_directory(entry)) {
        ++others;
        continue;
      }
      const auto label = entry.filename().string();
      if (const auto why = why_no_class_name(label); !why.empty())
        throw data_error(fmt::format("'{}' is not a valid class name", entry.string()), "dataset.folder", why,
                         "rename the folder; the name must be UTF-8");
      const auto before = images.size();
      for (const auto& path : entries_of(entry)) {
        if (hidden(path)) continue;
        if (!is_image_name(path)) {
          ++others;
          continue;
        }
        if (context.stop && context.stop()) throw data_error("stopped while images were read");
        const auto bytes = read_file(path);
        ImageNotes notes;
        images.push_back(shaped(decode_image(bytes, path.string(), &notes)));
        turned += notes.turned, rounded += notes.rounded, gamma += notes.gamma;
        if (images.back().sizes() != images.front().sizes()) throw unlike(path, images.back(), paths.front(), images.front());
        paths.push_back(path);
        out.labels.push_back(label);
        sums += path.lexically_relative(root).string() + '\n' + sha256(bytes) + '\n';
      }
      if (images.size() == before)
        throw data_error(fmt::format("'{}' contains no images", entry.string()), {}, "only .png, .jpg and .jpeg are read");
    }
    if (images.empty()) {
      throw data_error(fmt::format("'{}' contains no folder of images", folder.string()), "dataset.folder",
                       "every class needs a folder with its name",
                       "for example leaves/oak/1.png and leaves/elm/1.png: dataset.folder=leaves");
    }
    if (others > 0)
      tell(context, fmt::format("{}: ignored {} file{} that {} in a class folder", called(), others, others == 1 ? "" : "s",
                                others == 1 ? "is not an image" : "are not images"));
    const auto tell_of = [&](std::size_t count, const char* what) {
      if (count > 0) tell(context, fmt::format("{}: {} of {} images {}", folder.string(), count, images.size(), what));
    };
    tell_of(turned, "are rotated as their EXIF data say");
    tell_of(rounded, "have 16 bits per channel, which are rounded to 8");
    tell_of(gamma, "have their own gamma or colour profile: values are used as stored");
    out.inputs = at::stack(images);
    if (out.inputs.size(1) == 1) out.inputs = out.inputs.squeeze(1);
    out.place = [paths](std::int64_t sample, std::int64_t) { return paths[static_cast<std::size_t>(sample)].string(); };
    return out;
  }

  /// Converts to the configured channels and size; bytes stay bytes.
  at::Tensor shaped(at::Tensor image) const {
    if (p_.channels == 3 && image.size(0) == 1) image = image.expand({3, image.size(1), image.size(2)});
    if (p_.channels == 1 && image.size(0) == 3) {  // luma of ITU-R BT.601, the usual one
      const auto weights = at::tensor({0.299, 0.587, 0.114}, at::kDouble).view({3, 1, 1});
      image = (image.to(at::kDouble) * weights).sum(0, true).round_().to(at::kByte);
    }
    if (!p_.size.empty() && (image.size(1) != p_.size[0] || image.size(2) != p_.size[1])) {
      image =
          at::_upsample_bilinear2d_aa(image.to(at::kFloat).unsqueeze(0), p_.size, false).squeeze(0).round_().clamp_(0, 255).to(at::kByte);
    }
    return image;
  }

  static Error unlike(const fs::path& path, const at::Tensor& image, const fs::path& first, const at::Tensor& other) {
    const auto words = [](const at::Tensor& t) {
      return fmt::format("{} x {} pixels{}", t.size(1), t.size(2), t.size(0) == 3 ? " in colour" : ", grey");
    };
    return data_error(
        fmt::format("'{}' has a different shape than the images before it", path.string()), {},
        fmt::format("{}, and '{}' has {}", words(image), first.string(), words(other)),
        image.size(0) != other.size(0) ? "dataset.channels=3" : fmt::format("'dataset.size=[{},{}]'", other.size(1), other.size(2)));
  }

  Params p_;
};

YATLAB_REGISTER(Dataset, Images, "images", "your own images: a folder of PNG or JPEG files for each class");

}  // namespace
}  // namespace yatlab
