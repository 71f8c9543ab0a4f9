#include "core/record/job_media.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return dump_json_replacing(json) + "\n"; }

/// The kind's name, the file's ending and its bytes.
struct Stored {
  const char *kind, *ending;
  std::string bytes;
};

struct Store {
  Stored operator()(const Image& image) const { return {"image", ".png", image.png}; }
  Stored operator()(const TableData& table) const {
    return {"table", ".json", text_of({{"columns", table.columns}, {"rows", table.rows}, {"markdown", table.markdown}})};
  }
  Stored operator()(const Histogram& histogram) const {
    return {"histogram", ".json", text_of({{"edges", histogram.edges}, {"counts", histogram.counts}})};
  }
  Stored operator()(const Markdown& text) const { return {"text", ".md", text.text}; }
};

}  // namespace

void write_media(const fs::path& job_directory, const std::vector<Media>& items) {
  const fs::path folder = job_directory / "media";
  remove_tree(folder);
  if (items.empty()) return;
  Json index = Json::array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& item = items[i];
    const auto stored = std::visit(Store(), item.value);
    // Numbered, because two names may differ only in characters that file names cannot have.
    const auto file = fmt::format("{:03}-{}{}", i, safe_file_name(item.name), stored.ending);
    write_file_atomic(folder / file, stored.bytes);
    Json entry{{"name", item.name}, {"kind", stored.kind}, {"file", file}, {"step", item.step}};
    if (!item.caption.empty()) entry["caption"] = item.caption;
    index.push_back(std::move(entry));
  }
  write_file_atomic(folder / "index.json", dump_json_replacing(index, 2) + "\n");
}

std::vector<Media> read_media(const fs::path& job_directory) {
  const fs::path folder = job_directory / "media";
  std::vector<Media> out;
  if (!is_there(folder / "index.json")) return out;
  try {
    for (const auto& entry : parse_ordered_json(read_json_text(folder / "index.json"))) {
      Media item;
      item.name = entry.at("name");
      item.step = entry.at("step");
      item.caption = entry.value("caption", "");
      const auto kind = entry.at("kind").get<std::string>();
      const auto bytes = read_file(folder / safe_file_name(entry.at("file").get<std::string>()));
      if (kind == "image") {
        item.value = Image{bytes};
      } else if (kind == "text") {
        item.value = Markdown{bytes};
      } else if (const auto json = parse_ordered_json(bytes); kind == "table") {
        item.value = TableData{json.at("columns").get<std::vector<std::string>>(), json.at("rows"), json.value("markdown", "")};
      } else if (kind == "histogram") {
        item.value = Histogram{json.at("edges").get<std::vector<double>>(), json.at("counts").get<std::vector<double>>()};
      } else {
        continue;  // from a later version
      }
      out.push_back(std::move(item));
    }
  } catch (const Json::exception& e) {
    throw data_error(fmt::format("cannot read the media in '{}'", folder.string()), {}, e.what(),
                     "run the job again: --retry-failed, or --fresh");
  }
  return out;
}

}  // namespace yatlab
