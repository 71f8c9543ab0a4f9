#include "plugins/serve/server/log_columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/json_text.h"

namespace yatlab {
namespace {

using Entries = std::vector<std::pair<std::string_view, double>>;
constexpr double kNotFinite = std::numeric_limits<double>::infinity();

/// Reads {"name":number,...}, as rows usually are. False for other lines, also of valid JSON.
bool scan(std::string_view line, Entries& out) {
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto take = [&](char c) { return at != end && *at == c && (++at, true); };
  if (!take('{')) return false;
  do {
    if (!take('"')) return false;
    const char* const name = at;
    while (at != end && *at != '"' && *at != '\\') ++at;
    out.emplace_back(std::string_view(name, static_cast<std::size_t>(at - name)), 0.0);
    if (!take('"') || !take(':')) return false;
    const auto read = std::from_chars(at, end, out.back().second);
    if (read.ec != std::errc()) return false;
    at = read.ptr;
  } while (take(','));
  return take('}') && at == end;
}

class Columns {
 public:
  void add(const Entries& row) {
    std::size_t next = 0;
    for (const auto& [name, value] : row) {
      if (next >= names_.size() || names_[next] != name) next = place_of(name);
      auto& column = values_[next++];
      column.resize(rows_, std::nan(""));
      column.push_back(std::isfinite(value) ? value : kNotFinite);
    }
    ++rows_;
  }
  std::string bytes() && {
    std::string out = dump_json_replacing(nlohmann::ordered_json{{"rows", rows_}, {"names", names_}});
    out.resize((out.size() + 1 + 7) / 8 * 8, ' ');
    out.back() = '\n';
    for (auto& column : values_) {
      column.resize(rows_, std::nan(""));
      out.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(double));
    }
    return out;
  }

 private:
  std::size_t place_of(std::string_view name) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return i;
    }
    names_.emplace_back(name);
    values_.emplace_back();
    return names_.size() - 1;
  }

  std::vector<std::string> names_;
  std::vector<std::vector<double>> values_;
  std::size_t rows_ = 0;
};

}  // namespace

std::string log_columns(std::string_view lines) {
  Columns out;
  Entries row;
  while (!lines.empty()) {
    const auto line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    row.clear();
    if (scan(line, row)) {
      out.add(row);
      continue;
    }
    const auto json = parse_ordered_json(line, false);
    if (!json.is_object()) continue;
    row.clear();
    for (auto it = json.begin(); it != json.end(); ++it) row.emplace_back(it.key(), it->is_number() ? it->get<double>() : kNotFinite);
    out.add(row);
  }
  return std::move(out).bytes();
}

}  // namespace yatlab
