#include "core/record/run_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace yatlab {
namespace {

/// Folders in a folder, except links and hidden ones.
std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code gone;
    if (it->symlink_status(gone).type() != fs::file_type::directory) continue;
    auto name = it->path().filename().string();
    if (name.front() != '.') out.push_back(std::move(name));
  }
  return out;
}

}  // namespace

std::vector<RunFolder> run_folders(const fs::path& results) {
  std::vector<RunFolder> out;
  for (const auto& experiment : folders_in(results)) {
    for (const auto& id : folders_in(results / experiment)) {
      std::error_code ec;
      if (fs::exists(results / experiment / id / "plan.json", ec)) out.push_back({experiment, id, results / experiment / id});
    }
  }
  std::sort(out.begin(), out.end(),
            [](const RunFolder& a, const RunFolder& b) { return a.id != b.id ? a.id > b.id : a.experiment < b.experiment; });
  return out;
}

std::string latest_id(const fs::path& results, const std::string& experiment) {
  std::error_code ec;
  const auto target = fs::read_symlink(results / experiment / "latest", ec);
  return ec ? std::string() : target.filename().string();
}

std::optional<std::int64_t> begun_at(const std::string& id) {
  std::tm parts{};
  int length = 0;
  if (std::sscanf(id.c_str(), "%4d-%2d-%2d_%2d-%2d-%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &parts.tm_hour, &parts.tm_min,
                  &parts.tm_sec, &length) != 6 ||
      length != 19) {
    return std::nullopt;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  parts.tm_isdst = -1;
  const auto time = std::mktime(&parts);
  return time == -1 ? std::nullopt : std::optional<std::int64_t>(time);
}

std::string age_text(std::int64_t seconds) {
  if (seconds < 0) return "0 s";  // the clock was set back
  if (seconds < 90) return fmt::format("{} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{} min", (seconds + 30) / 60);
  if (seconds < 36 * 3600) return fmt::format("{} h", (seconds + 1800) / 3600);
  return fmt::format("{} d", (seconds + 43200) / 86400);
}

}  // namespace yatlab
