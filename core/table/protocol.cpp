#include "core/table/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"

namespace yatlab {
namespace {

using Texts = std::vector<std::string>;

void add_new(Texts& to, const Texts& from) {
  for (const auto& text : from) {
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
  }
}

Texts training_changes(const RunView& run, const std::string& arm, const Node::Map& point) {
  Texts out;
  for (const JobView* job : run.jobs_of(arm, point)) add_new(out, job->changed_by);
  return out;
}

/// For a metric of an analysis: the command line's overrides of that analysis.
Texts analysis_changes(const RunView& run, const std::string& arm, const Node::Map& point, const std::string& metric) {
  Texts out;
  for (const JobView* job : run.jobs_of(arm, point)) {
    const auto own = job->measured_otherwise.find(metric);
    if (own != job->measured_otherwise.end()) add_new(out, own->second);
  }
  return out;
}

/// " of Linear and ⵟ", " in 3 of 5 rows"; "" for all rows.
std::string which_rows(const Table& table, const std::set<std::size_t>& rows) {
  if (rows.size() == table.rows.size()) return {};
  Texts labels;
  for (const auto r : rows) add_new(labels, {table.rows[r].label});
  std::size_t of_these = 0;
  for (const auto& row : table.rows) of_these += std::find(labels.begin(), labels.end(), row.label) != labels.end();
  return of_these == rows.size() ? " of " + join(labels, ", ") : fmt::format(" in {} of {} rows", rows.size(), table.rows.size());
}

}  // namespace

Texts protocol_changes(const RunView& run, const std::string& arm, const Node::Map& point, const std::string& metric) {
  Texts out = training_changes(run, arm, point);
  add_new(out, analysis_changes(run, arm, point, metric));
  return out;
}

Texts protocol_changes(const RunView& run, const std::string& arm) {
  Texts out;
  for (const auto& job : run.jobs) {
    if (job.arm != arm) continue;
    add_new(out, job.changed_by);
    for (const auto& analysis : job.analyses) add_new(out, analysis.changed_by);
  }
  return out;
}

Texts protocol_notes(const RunView& run, const Table& table) {
  if (run.protocol_overrides.empty()) return {};
  const std::string beside = table.config.has_paper() ? ": not comparable with the paper" : "";
  std::vector<std::pair<Texts, std::set<std::size_t>>> trainings;  // rows changed by the same overrides
  std::vector<std::pair<Texts, Texts>> analyses;                   // and columns
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    const auto place = [](auto& all, const Texts& texts) -> auto& {
      const auto it = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == texts; });
      return it != all.end() ? it->second : all.emplace_back(texts, typename std::decay_t<decltype(all)>::value_type::second_type()).second;
    };
    if (const auto texts = training_changes(run, row.arm, row.point); !texts.empty()) place(trainings, texts).insert(r);
    for (const auto& column : table.columns) {
      if (const auto texts = analysis_changes(run, row.arm, row.point, column.metric); !texts.empty())
        add_new(place(analyses, texts), {column.header});
    }
  }
  Texts out;
  for (const auto& [texts, rows] : trainings)
    out.push_back(fmt::format("Protocol{} changed by {}{}.", which_rows(table, rows), join(texts, " "), beside));
  for (const auto& [texts, columns] : analyses)
    out.push_back(fmt::format("Measured otherwise by {}: {}{}.", join(texts, " "), join(columns, ", "),
                              beside.empty() ? "" : "; not comparable with the paper"));
  return out;
}

}  // namespace yatlab
