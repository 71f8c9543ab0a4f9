#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/base/files.h"
#include "core/train/metric_row.h"

namespace yatlab {

/// A row as a line of metrics.jsonl: {"step": 10, "epoch": 0.5, "tokens": 4096, "<metric>": value, ...}.
nlohmann::ordered_json to_json(const MetricRow& row);

/// The row of such a line; nothing for one that was left half written.
std::optional<MetricRow> row_in(const std::string& line);

/// Calls `use` for each row of a job's metrics.jsonl; a line that a crash left half written ends it. Throws a data error where a finished job's rows
/// are not those that it wrote.
void for_each_row(const fs::path& job_directory, const std::function<void(const MetricRow&)>& use);

}  // namespace yatlab
