// Objects in rows: pictures, pages, histograms, tables.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "plugins/wandb/log/run_log_parts.h"

namespace yatlab::wandb {
namespace {

constexpr std::size_t kTableRows = 10000, kHistogramBins = 512;

/// Replaces parts of a key that would leave the folder, and shortens it to the longest possible file name.
std::string media_name(const std::string& key) {
  constexpr std::size_t kLongest = 160;
  auto text = key.substr(0, kLongest);
  if (text.size() < key.size()) text.resize(text.size() - unfinished_character(text));
  std::string out;
  for (auto& part : split(text, '/')) {
    if (part.empty()) continue;
    for (char& c : part) {
      if (static_cast<unsigned char>(c) < ' ') c = '_';
    }
    if (!out.empty()) out += '/';
    out += part == "." || part == ".." ? std::string("_") : part;
  }
  return out.empty() ? "_" : out;
}

/// Width and height from a PNG's first chunk.
std::pair<int, int> png_size(const std::string& png) {
  if (png.size() < 24 || png.compare(0, 8, "\x89PNG\r\n\x1A\n") != 0) throw data_error("an image is not a PNG");
  const auto number = [&](std::size_t at) {
    int out = 0;
    for (std::size_t i = at; i < at + 4; ++i) out = out << 8 | static_cast<unsigned char>(png[i]);
    return out;
  };
  return {number(16), number(20)};
}

/// The name of the artifact for a table: invalid characters are dropped, and a checksum keeps such names distinct.
std::string table_artifact_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_-.").find(c) != std::string_view::npos) out += c;
  }
  if (out == name) return out;
  const auto sum = static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(name.data()), static_cast<uInt>(name.size())));
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(sum >> shift & 0xFF);
  auto suffix = base64(bytes).substr(0, 6);
  for (char& c : suffix) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return out + "-" + suffix;
}

/// The types of a table's columns in W&B's format.
Json column_types(const std::vector<std::string>& columns, const Json& rows) {
  Json types = Json::object();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::set<std::string> kinds;
    bool missing = false;
    for (const auto& row : rows) {
      const auto& cell = i < row.size() ? row.at(i) : Json();
      missing = missing || cell.is_null();
      if (!cell.is_null()) kinds.insert(cell.is_number() ? "number" : cell.is_string() ? "string" : cell.is_boolean() ? "boolean" : "any");
    }
    const Json kind{{"wb_type", kinds.size() == 1 ? *kinds.begin() : "any"}}, none{{"wb_type", "none"}};
    auto& type = types[columns[i]];
    if (!missing && kinds.size() == 1) {
      type = kind;
    } else if (kinds.empty() && missing) {
      type = none;
    } else {
      // Sorted by name.
      type = {
          {"params", {{"allowed_types", kind.at("wb_type") < none.at("wb_type") ? Json::array({kind, none}) : Json::array({none, kind})}}},
          {"wb_type", "union"}};
    }
  }
  return {{"params", {{"type_map", types}}}, {"wb_type", "typedDict"}};
}

}  // namespace

Json RunLog::media(const char* type, const char* folder, const char* ending, const std::string& key, std::int64_t step,
                   const std::string& bytes) {
  const auto hash = sha256(bytes);
  const auto relative = fmt::format("media/{}/{}_{}_{}.{}", folder, media_name(clean(key)), step, hash.substr(0, 20), ending);
  write_file_atomic(folder_ / "files" / relative, bytes);
  write([&](pb::Record& r) {
    auto* file = r.mutable_files()->add_files();
    file->set_path(relative);
    file->set_type(pb::TYPE_MEDIA);
  });
  return {{"_type", type}, {"sha256", hash}, {"size", bytes.size()}, {"path", relative}};
}

Json RunLog::image(const std::string& key, std::int64_t step, const std::string& png, const std::string& caption) {
  const std::lock_guard lock(mutex_);
  if (ended_) return nullptr;
  const auto [width, height] = png_size(png);
  auto out = media("image-file", "images", "png", key, step, png);
  out.update({{"format", "png"}, {"width", width}, {"height", height}});
  if (!caption.empty()) out["caption"] = clean(caption);
  return out;
}

Json RunLog::html(const std::string& key, std::int64_t step, const std::string& html) {
  const std::lock_guard lock(mutex_);
  if (ended_) return nullptr;
  return media("html-file", "html", "html", key, step, clean(html));
}

Json RunLog::histogram(const std::vector<double>& edges, const std::vector<double>& counts) {
  const auto finite = [](double v) { return std::isfinite(v); };
  if (counts.empty() || edges.size() != counts.size() + 1 || !std::all_of(edges.begin(), edges.end(), finite) ||
      !std::all_of(counts.begin(), counts.end(), finite)) {
    throw data_error(fmt::format("{} counts and {} edges are not a histogram", counts.size(), edges.size()), {},
                     "there must be one more edge than counts, and all must be finite");
  }
  const auto together = (counts.size() + kHistogramBins - 1) / kHistogramBins;
  Json values = Json::array(), bins = Json::array({edges.front()});
  for (std::size_t i = 0; i < counts.size(); i += together) {
    const auto end = std::min(i + together, counts.size());
    double sum = 0;
    for (auto k = i; k < end; ++k) sum += counts[k];
    values.push_back(sum);
    bins.push_back(edges[end]);
  }
  return {{"_type", "histogram"}, {"values", values}, {"bins", bins}};
}

Json RunLog::table(const std::string& key, std::int64_t step, const std::vector<std::string>& columns, const Json& rows) {
  const std::lock_guard lock(mutex_);
  if (ended_) return nullptr;
  scratch_->used(&pb::Feature::set_table, scratch_->telemetry.feature().table());
  Json content{{"columns", columns}, {"data", rows}};
  auto& data = content["data"];
  if (data.size() > kTableRows) data.erase(data.begin() + kTableRows, data.end());
  auto out = media("table-file", "table", "table.json", key, step, clean(json_text(content)));

  // Also as an artifact, which W&B's pages join over runs.
  ArtifactDraft draft;
  draft.type = "run_table";
  draft.name = table_artifact_name(clean(fmt::format("run-{}-{}", id_, key)));
  draft.client_id = random_id(128);
  draft.sequence_client_id = random_id(128);
  const auto bytes = clean(json_text({{"_type", "table"},
                                      {"column_types", column_types(columns, data)},
                                      {"columns", columns},
                                      {"data", data},
                                      {"log_mode", "IMMUTABLE"},
                                      {"ncols", columns.size()},
                                      {"nrows", data.size()}}));
  const auto name = clean(key) + ".table.json";
  const auto copy = wandb_folder_ / "artifact-staging" / draft.client_id.substr(0, 24) / "0.table.json";
  write_file_atomic(copy, bytes);
  draft.entries.push_back({name, base64(md5(bytes)), copy.string(), {}, static_cast<std::int64_t>(bytes.size())});
  draft.aliases = {"latest"};
  write_artifact(draft);
  out.update({{"artifact_path", fmt::format("wandb-client-artifact://{}/{}", draft.client_id, name)},
              {"_latest_artifact_path", fmt::format("wandb-client-artifact://{}:latest/{}", draft.sequence_client_id, name)},
              {"ncols", columns.size()},
              {"nrows", data.size()},
              {"log_mode", "IMMUTABLE"}});
  return out;
}

}  // namespace yatlab::wandb
