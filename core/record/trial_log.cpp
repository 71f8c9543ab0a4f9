#include "core/record/trial_log.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/output_file.h"

namespace yatlab {
namespace {

/// Drops an unterminated last line.
std::string whole_lines(std::string text) {
  const auto end = text.rfind('\n');
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

std::string logged_text(const fs::path& path) { return is_there(path) ? whole_lines(read_file(path)) : ""; }

}  // namespace

std::vector<ProposedTrial> TrialLog::read() const {
  std::vector<ProposedTrial> out;
  const auto text = logged_text(path_);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    ++number;
    try {
      const auto line = parse_ordered_json(text.substr(at, text.find('\n', at) - at));
      ProposedTrial trial;
      trial.number = line.at("trial").get<std::int64_t>();
      trial.arm = line.at("arm").get<std::string>();
      for (const auto& [key, value] : line.at("point").items()) trial.point.emplace_back(key, from_json(value));
      out.push_back(std::move(trial));
    } catch (const nlohmann::json::exception&) {
      throw data_error("a trial cannot be read", fmt::format("{}:{}", path_.string(), number), "the line was not written by a search",
                       "start a new run with --fresh");
    }
  }
  return out;
}

void TrialLog::append(const std::vector<ProposedTrial>& trials) const {
  std::string text;
  for (const auto& trial : trials) {
    nlohmann::ordered_json point = nlohmann::ordered_json::object();
    for (const auto& [key, value] : trial.point) point[key] = to_json(value);
    text += dump_json(nlohmann::ordered_json{{"trial", trial.number}, {"arm", trial.arm}, {"point", std::move(point)}}) + "\n";
  }
  const auto before = logged_text(path_).size();
  OutputFile out(path_, OutputFile::Mode::kAppend);
  if (out.size() > before) out.cut(before);
  out.write_whole(text);
  out.sync();
  if (before == 0) sync_directory(path_.parent_path());
}

}  // namespace yatlab
