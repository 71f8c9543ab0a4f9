#include "core/library/export_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/library/run_index.h"
#include "core/record/job_file.h"
#include "core/record/job_history.h"
#include "core/record/run_view.h"
#include "core/table/table.h"

namespace yatlab {
namespace {

using JsonValue = nlohmann::json;

/// The value of a cell in both formats.
struct Cell {
  std::string csv, json;
};

Cell text_cell(const std::string& text) { return {csv_field(text), dump_json_replacing(JsonValue(text))}; }
Cell count_cell(std::int64_t value) { return {std::to_string(value), std::to_string(value)}; }
Cell number_cell(double value) {
  auto text = format_double(value);
  return std::isfinite(value) ? Cell{text, text} : Cell{text, "null"};
}
/// Whole epochs as in metrics.jsonl: "2".
Cell epoch_cell(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? count_cell(static_cast<std::int64_t>(value)) : number_cell(value);
}
Cell parameter_cell(const Node& value) {
  if (value.is_float()) return number_cell(value.as_double());
  if (value.is_int()) return count_cell(value.as_int());
  if (value.is_bool()) return {value.as_bool() ? "True" : "False", value.as_bool() ? "true" : "false"};  // Python's words, for pandas
  if (value.is_null()) return {"", "null"};
  if (value.is_string()) return text_cell(value.as_string());
  return {csv_field(value.to_flow()), dump_json_replacing(to_json(value))};
}

/// Builds rows over fixed columns.
class Rows {
 public:
  Rows(std::vector<std::string> columns, ExportFormat format, const std::function<void(std::string_view)>& sink)
      : columns_(std::move(columns)), format_(format), sink_(sink) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      places_.emplace(columns_[i], i);
      keys_.push_back(dump_json_replacing(JsonValue(columns_[i])));
    }
    cells_.resize(columns_.size());
    if (format_ != ExportFormat::kCsv) return;
    for (std::size_t i = 0; i < columns_.size(); ++i) buffer_ += (i > 0 ? "," : "") + csv_field(columns_[i]);
    buffer_ += "\r\n";
  }

  void set(const std::string& column, Cell cell) {
    if (const auto place = places_.find(column); place != places_.end())
      cells_[place->second] = std::move(cell);
    else
      unknown_ = true;
  }
  /// Ends the row. The first `kept` cells stay for the next row.
  void end(std::size_t kept) {
    if (format_ == ExportFormat::kCsv) {
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        if (i > 0) buffer_ += ',';
        buffer_ += cells_[i].csv;
      }
      buffer_ += "\r\n";
    } else {
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        buffer_ += i > 0 ? ", " : "{";
        buffer_ += keys_[i];
        buffer_ += ": ";
        buffer_ += cells_[i].json.empty() ? "null" : cells_[i].json;
      }
      buffer_ += "}\n";
    }
    for (std::size_t i = kept; i < cells_.size(); ++i) cells_[i] = {};
    ++count_;
    if (buffer_.size() > (1u << 20)) flush();
  }
  void clear() { std::fill(cells_.begin(), cells_.end(), Cell{}); }
  void flush() {
    if (!buffer_.empty()) sink_(buffer_);
    buffer_.clear();
  }
  std::size_t count() const { return count_; }
  std::size_t width() const { return columns_.size(); }
  bool found_unknown_metric() const { return unknown_; }

 private:
  std::vector<std::string> columns_, keys_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Cell> cells_;
  ExportFormat format_;
  const std::function<void(std::string_view)>& sink_;
  std::string buffer_;
  std::size_t count_ = 0;
  bool unknown_ = false;
};

/// Adds every setting of a job as if it were a swept parameter: "trainer.epochs".
void add_settings(const Node& node, const std::string& path, Node::Map& out) {
  if (node.is_map() && node.size() > 0) {
    for (const auto& [key, value] : node.as_map()) add_settings(value, path.empty() ? key : path + "." + key, out);
    return;
  }
  const bool swept = std::any_of(out.begin(), out.end(), [&](const auto& entry) { return entry.first == path; });
  if (!swept && path != "seed") out.push_back({path, node});
}

struct Source {
  RunView run;
  std::string experiment, id;
};

constexpr const char* kPlaceColumns[] = {"experiment", "run", "job", "arm", "seed"};
constexpr const char* kJobColumns[] = {"state", "steps", "wall_s", "hash", "dataset", "dataset_sha256", "substituted_for", "error"};
constexpr const char* kStepColumns[] = {"step", "epoch", "tokens"};

void set_place(Rows& out, const Source& source, const JobView& job, const std::function<std::string(const std::string&)>& parameter) {
  out.clear();
  out.set("experiment", text_cell(source.experiment));
  out.set("run", text_cell(source.id));
  out.set("job", text_cell(job.directory));
  out.set("arm", text_cell(job.arm));
  out.set("seed", count_cell(job.seed));
  for (const auto& [key, value] : job.params) out.set(parameter(key), parameter_cell(value));
}

}  // namespace

Exported export_runs(const std::vector<fs::path>& runs, ExportRows rows, ExportFormat format,
                     const std::function<void(std::string_view)>& sink, const std::function<bool()>& stop) {
  Exported out;
  const bool steps = rows == ExportRows::kSteps;
  std::vector<Source> sources;
  std::set<std::string> swept, metrics;
  std::size_t unreadable = 0;
  const auto stopped = [&] { return stop && stop(); };
  for (const auto& path : runs) {
    Source source{RunView::planned(path), {}, {}};
    source.experiment = source.run.experiment;
    source.id = source.run.run_id;
    for (auto& job : source.run.jobs) {
      if (stopped()) return out;
      if (rows == ExportRows::kJobsWithSettings) {
        try {
          add_settings(read_job_file(path / job.directory).config, "", job.params);
        } catch (const Error& e) {
          out.notes.push_back(fmt::format("{}: {}; its settings are left out", (path / job.directory).string(), e.message()));
        }
      }
      for (const auto& [key, value] : job.params) swept.insert(key);
      if (steps) continue;
      read_job(path, job, JobCheck::kSummary, source.run.warnings);
      for (const auto& [name, value] : job.metrics) metrics.insert(name);
    }
    out.notes.insert(out.notes.end(), source.run.warnings.begin(), source.run.warnings.end());
    sources.push_back(std::move(source));
  }
  if (steps) {  // only rows of finished jobs that match their manifest
    for (auto& source : sources) {
      auto& jobs = source.run.jobs;
      const auto damaged = [&](const JobView& job) {
        if (stopped()) return false;
        const auto folder = source.run.directory / job.directory;
        const auto damage = damage_of_history(folder);
        if (!damage.empty()) out.notes.push_back(fmt::format("{}: {}; its rows are left out", folder.string(), damage));
        return !damage.empty();
      };
      jobs.erase(std::remove_if(jobs.begin(), jobs.end(), damaged), jobs.end());
    }
    if (stopped()) return out;
  }
  const auto each_row_of = [&](const Source& source, const JobView& job, const auto& use) {
    std::size_t n = 0;
    return each_row(source.run.directory / job.directory, [&](const MetricRow& row) {
      if (n++ % 1000 == 0 && stopped()) return false;
      use(row);
      return true;
    });
  };
  if (steps) {
    for (const auto& source : sources) {
      for (const auto& job : source.run.jobs) {
        each_row_of(source, job, [&](const MetricRow& row) {
          for (const auto& [name, value] : row.metrics) metrics.insert(name);
        });
        if (stopped()) return out;
      }
    }
  }
  std::vector<std::string> columns(std::begin(kPlaceColumns), std::end(kPlaceColumns));
  std::set<std::string> taken(columns.begin(), columns.end());
  if (steps) {
    for (const char* name : kStepColumns) taken.insert(name), metrics.erase(name);
  } else {
    for (const char* name : kJobColumns) taken.insert(name);
  }
  // A parameter or a metric may have the name of an existing column.
  std::map<std::string, std::string> parameter_columns, metric_columns;
  const auto free_name = [&](std::string name, const std::string& before) {
    while (!taken.insert(name).second) name = before + name;
    return name;
  };
  for (const auto& name : swept) columns.push_back(parameter_columns[name] = free_name(name, "params."));
  const auto kept = columns.size();
  if (steps)
    columns.insert(columns.end(), std::begin(kStepColumns), std::end(kStepColumns));
  else
    columns.insert(columns.end(), std::begin(kJobColumns), std::end(kJobColumns));
  for (const auto& name : metrics) columns.push_back(metric_columns[name] = free_name(name, "metrics."));
  if (steps) {
    for (const char* name : kStepColumns) metric_columns[name] = name;
  }
  Rows table(std::move(columns), format, sink);
  const std::function<std::string(const std::string&)> parameter = [&](const std::string& name) { return parameter_columns.at(name); };
  for (const auto& source : sources) {
    for (const auto& job : source.run.jobs) {
      if (stopped()) return out;
      set_place(table, source, job, parameter);
      if (!steps) {
        table.set("state", text_cell(to_string(job.state)));
        table.set("hash", text_cell(job.hash));
        if (is_over(job.state)) {
          table.set("steps", count_cell(job.steps));
          table.set("wall_s", number_cell(job.wall_s));
        }
        if (job.dataset) {
          table.set("dataset", text_cell(job.dataset->name));
          table.set("dataset_sha256", text_cell(job.dataset->sha256));
          if (!job.dataset->substituted_for.empty()) table.set("substituted_for", text_cell(job.dataset->substituted_for));
        }
        if (!job.error.empty()) table.set("error", text_cell(job.error));
        for (const auto& [name, value] : job.metrics) table.set(metric_columns.at(name), number_cell(value));
        table.end(0);
        continue;
      }
      unreadable += each_row_of(source, job, [&](const MetricRow& row) {
        table.set("step", count_cell(row.step));
        table.set("epoch", epoch_cell(row.epoch));
        if (row.tokens) table.set("tokens", count_cell(*row.tokens));
        for (const auto& [name, value] : row.metrics) {
          const auto column = metric_columns.find(name);
          table.set(column == metric_columns.end() ? name : column->second, number_cell(value));
        }
        table.end(kept);
      });
      if (stopped()) return out;
    }
  }
  table.flush();
  if (unreadable > 0)
    out.notes.push_back(
        fmt::format("{} line{} of metrics.jsonl cannot be read (truncated?): left out", unreadable, unreadable == 1 ? "" : "s"));
  if (table.found_unknown_metric())
    out.notes.push_back("a running job logged a new metric during the export; it has no column: export again");
  out.rows = table.count();
  out.columns = table.width();
  return out;
}

}  // namespace yatlab
