#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/config/override.h"
#include "core/figure/latex_text.h"
#include "core/report/html_parts.h"
#include "core/system/shell.h"
#include "core/verdict/display_titles.h"

namespace yatlab::html {
namespace {

using Json = nlohmann::ordered_json;

// Maximum of metrics in the list of jobs: the first ones of the tables.
constexpr std::size_t kMetrics = 5;

Json json_file(const fs::path& path) {
  if (!is_there(path)) return {};
  const auto json = parse_ordered_json(read_json_text(path), false);
  return json.is_object() ? json : Json();
}

// Splits a command without variables or patterns into words like a shell.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> out;
  std::string word;
  char quote = 0;
  for (std::size_t i = 0; i <= command.size(); ++i) {
    const char c = i < command.size() ? command[i] : ' ';
    if (c == ' ' && (quote == 0 || i == command.size())) {
      if (!word.empty()) out.push_back(without_shell_quotes(word));
      word.clear();
      continue;
    }
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
    word += c;
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) word += command[++i];
  }
  return out;
}

// How the run was made.
struct RunCommandLine {
  std::string arguments;             // of ./run.sh, as typed; "" if unknown
  std::vector<std::string> folders;  // --config-dir FOLDER, ...
  std::string experiment;            // as named in the command
};

RunCommandLine command_line_of(const RunView& run) {
  RunCommandLine out{{}, {}, "experiments/" + run.experiment + ".yaml"};
  const auto environment = json_file(run.directory / "environment.json");
  const auto command = environment.find("command");
  if (command == environment.end() || !command->is_string()) return out;
  const auto text = command->get<std::string>();
  const std::string begin = "yatlab run ";
  if (text.rfind(begin, 0) == 0) out.arguments = text.substr(begin.size());
  const auto words = words_of(out.arguments);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word.rfind("--config-dir", 0) == 0) {
      out.folders.push_back(word);
      if (word == "--config-dir" && i + 1 < words.size()) out.folders.push_back(words[++i]);
    } else if (word.rfind('-', 0) != 0) {
      out.experiment = word;
      break;
    }
  }
  return out;
}

bool is_sweep(const std::string& override_text) {
  try {
    const auto given = parse_override(override_text);
    return given.is_sweep() && given.key != "seeds";
  } catch (const Error&) {
    return false;
  }
}

bool sets(const std::string& override_text, const std::string& key) {
  const auto begin = override_text.find_first_not_of('+');
  return begin != std::string::npos && override_text.compare(begin, key.size() + 1, key + "=") == 0;
}

// "+" or "++" before a swept key, if the command line or the file's sweep writes it.
std::string sign_of(const RunView& run, const std::string& key) {
  std::vector<std::string> written = run.overrides;
  if (const Node* sweep = run.config.find("sweep"); sweep && sweep->is_map()) {
    for (const auto& [name, value] : sweep->as_map()) {
      written.push_back(name + "=");
      const Node* zip = value.find("zip");
      if (zip && zip->is_map()) {
        for (const auto& entry : zip->as_map()) written.push_back(entry.first + "=");
      } else if (value.is_string()) {
        for (auto& part : split(value.as_string(), ',')) written.push_back(trim(part.substr(part.find('(') + 1)));  // zip(+a=[...], ...)
      }
    }
  }
  for (const auto& text : written) {
    if (sets(text, key)) return text.substr(0, text.find_first_not_of('+'));
  }
  return {};
}

// The arguments to append to the run's command to run one job alone.
std::string job_command(const RunView& run, const JobView& job) {
  std::vector<std::string> words;
  for (const auto& arm : run.arms) {
    if (arm != job.arm) words.push_back("~arms." + arm);
  }
  words.push_back(fmt::format("seeds=[{}]", job.seed));
  std::vector<std::string> point;  // a sweep of one value per key: the job keeps its folder
  for (const auto& [name, value] : job.params) {
    if (name == "claim" && run.config.has("claims")) {
      words.push_back(fmt::format("claims=[{}]", format_parameter(value)));
    } else {
      point.push_back(fmt::format("{}{}=choice({})", sign_of(run, name), name, format_override_value(value)));
    }
  }
  if (!point.empty()) words.push_back("-m");
  words.insert(words.end(), point.begin(), point.end());
  std::string out;
  for (const auto& word : words) out += " " + shell_word(word);
  return out;
}

}  // namespace

std::vector<std::string> words_to_run_again(const RunView& run) {
  const auto original = command_line_of(run);
  if (!original.arguments.empty()) return words_of(original.arguments);
  auto out = original.folders;
  out.push_back(original.experiment);
  if (std::any_of(run.overrides.begin(), run.overrides.end(), is_sweep)) out.emplace_back("-m");
  out.insert(out.end(), run.overrides.begin(), run.overrides.end());
  return out;
}

Json jobs(const RunView& run, const ReportConfig& config, const std::vector<Table>& tables) {
  Json out;
  const auto original = command_line_of(run);
  // Settings of the run, before those of the job.
  auto words = original.folders;
  words.insert(words.begin(), "./run.sh");
  words.push_back(original.experiment);
  for (const auto& text : run.overrides) {
    const bool swept = std::any_of(run.swept.begin(), run.swept.end(), [&](const auto& name) { return sets(text, name); });
    if (!swept && !is_sweep(text) && !sets(text, "seeds")) words.push_back(text);
  }
  out["command"] = shell_command(words);
  out["whole"] = "./run.sh " + (original.arguments.empty() ? shell_command(words_to_run_again(run)) : original.arguments);
  out["arms"] = Json::array();
  for (const auto& arm : run.arms) out["arms"].push_back({{"name", arm}, {"label", plain_text(config.arm_label(arm))}});
  out["params"] = Json::array();
  // Displayed by title, looked up by key.
  const auto titles = parameter_titles(run.swept, config.parameters);
  for (std::size_t i = 0; i < run.swept.size(); ++i) {
    out["params"].push_back({{"name", run.swept[i]},
                             {"short", short_parameter(run.swept[i], run.swept)},
                             {"title", titles[i]},
                             {"lead", titled_value(titles[i], Node(""))}});
  }
  std::vector<std::string> metrics;
  out["metrics"] = Json::array();
  for (const auto& table : tables) {
    for (const auto& column : table.columns) {
      if (metrics.size() == kMetrics || std::find(metrics.begin(), metrics.end(), column.metric) != metrics.end()) continue;
      metrics.push_back(column.metric);
      // Headers of several tables may be alike ("Original"): the metric's own title is clearer.
      out["metrics"].push_back(
          {{"name", column.metric},
           {"title", plain_text(config.metric(column.metric).title)},
           {"percent", is_percent(column.info.format)},
           {"higher", column.info.better == Direction::kHigher},
           {"decimals", column.decimals},
           {"scientific", column.info.format == NumberFormat::kScientific},
           {"signed", column.info.format == NumberFormat::kSigned || column.info.format == NumberFormat::kSignedPercent}});
    }
  }
  out["rows"] = Json::array();
  for (const auto& job : run.jobs) {
    Json row = {{"arm", std::find(run.arms.begin(), run.arms.end(), job.arm) - run.arms.begin()}, {"seed", job.seed}};
    row["params"] = Json::array();
    for (const auto& name : run.swept) {
      const auto at = std::find_if(job.params.begin(), job.params.end(), [&](const auto& p) { return p.first == name; });
      row["params"].push_back(at == job.params.end() ? "" : format_parameter(at->second));
    }
    row["state"] = to_string(job.state);
    row["steps"] = job.steps;
    row["wall"] = std::isfinite(job.wall_s) ? Json(job.wall_s) : Json();
    row["values"] = Json::array();
    for (const auto& name : metrics) {
      const auto found = job.metrics.find(name);
      row["values"].push_back(found == job.metrics.end() || !std::isfinite(found->second) ? Json() : Json(found->second));
    }
    row["dir"] = job.directory;
    row["files"] = Json::array();
    for (const char* name : {"job.yaml", "status.json", "metrics.jsonl", "output.txt"}) {
      if (is_there(run.directory / job.directory / name)) row["files"].push_back(name);
    }
    row["command"] = job_command(run, job);
    if (!job.error.empty()) row["error"] = job.error;
    out["rows"].push_back(std::move(row));
  }
  return out;
}

}  // namespace yatlab::html
