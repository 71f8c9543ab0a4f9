#include "core/library/alike_settings.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/library/run_index.h"
#include "core/record/job_file.h"

namespace yatlab {
namespace {

/// Adds the key that each line of a config's text sets, as in flat_settings.
void add_lines(const Node& node, const std::string& key, std::vector<std::vector<std::string>>& out) {
  if (node.is_map()) {
    for (const auto& [part, value] : node.as_map()) add_lines(value, key.empty() ? part : key + "." + part, out);
    return;
  }
  const auto line = static_cast<std::size_t>(node.origin().line);
  if (line == 0 || line > out.size()) return;
  out[line - 1].push_back(key);
  const auto dot = key.rfind('.');
  if (dot != std::string::npos && key.compare(dot, std::string::npos, ".name") == 0) out[line - 1].push_back(key.substr(0, dot));
}

/// The part before a line's value, with the colon and the blank; "" if the line is not `key: value`.
std::string before_value(const std::string& line) {
  const auto colon = line.find(": ");
  return colon == std::string::npos ? std::string() : line.substr(0, colon + 2);
}

/// Whether a line before `config:` may differ without affecting settings.
bool tells_no_setting(const std::string& before) { return before == "seed: " || before == "hash: " || before.rfind("  ", 0) == 0; }

/// Whether a text is a number in standard form, which needs no parsing. A search changes mostly such values.
bool is_plain_number(const std::string& text) {
  double number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return false;
  const bool whole = std::abs(number) < 1e15 && number == std::floor(number);
  return format_double(number) == text || (whole && std::to_string(static_cast<std::int64_t>(number)) == text);
}

}  // namespace

std::optional<std::map<std::string, std::string>> AlikeSettings::like_the_first(const std::vector<std::string>& lines) const {
  if (lines.size() != lines_.size()) return std::nullopt;
  auto out = settings_;
  bool config = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    config = config || lines_[i] == "config:";
    if (lines[i] == lines_[i]) continue;
    const auto before = before_value(lines_[i]);
    if (before.empty() || lines[i].compare(0, before.size(), before) != 0) return std::nullopt;
    if (!config && tells_no_setting(before)) continue;
    if (keys_[i].empty() || !config) return std::nullopt;
    const auto& key = keys_[i].front();
    if (trim(before) != key.substr(key.rfind('.') + 1) + ":") return std::nullopt;
    const auto text = lines[i].substr(before.size());
    if (keys_[i].size() == 1 && is_plain_number(text)) {
      out[key] = text;
      continue;
    }
    try {
      const auto value = parse_yaml("value: " + text + "\n", "job.yaml").at("value");
      // A name that is not text does not identify its component.
      if (value.is_map() || (keys_[i].size() > 1 && !value.is_string())) return std::nullopt;
      for (const auto& name : keys_[i]) out[name] = setting_text(value);
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  return out;
}

std::map<std::string, std::string> AlikeSettings::read(const fs::path& job_directory) {
  const fs::path file = job_directory / "job.yaml";
  std::error_code ec;
  std::vector<std::string> lines;
  if (fs::exists(file, ec)) lines = split(read_file(file), '\n');
  if (!lines_.empty()) {
    if (auto alike = like_the_first(lines)) return *std::move(alike);
  }
  const auto config = read_job_file(job_directory).config;
  ++parsed_;
  auto out = flat_settings(config);
  if (lines_.empty()) {
    keys_.assign(lines.size(), {});
    add_lines(config, "", keys_);
    lines_ = std::move(lines);
    settings_ = out;
  }
  return out;
}

}  // namespace yatlab
