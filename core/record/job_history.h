#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/base/files.h"
#include "core/record/metric_row.h"

namespace yatlab {

/// Where a job logs its metrics while it trains.
fs::path history_file(const fs::path& job_directory);

/// How a finished job's metrics.jsonl differs from what the job wrote (manifest.json); "" when it does not, and for a job without a manifest, which is
/// not finished. Every byte is read.
std::string damage_of_history(const fs::path& job_directory);

/// A row as a line of metrics.jsonl: {"step": 10, "epoch": 0.5, "tokens": 4096, "<metric>": value, ...}.
nlohmann::ordered_json to_json(const MetricRow& row);

/// The row of such a line; nothing for one that was left half written.
std::optional<MetricRow> row_in(const std::string& line);

/// Calls `use` for each row of a job's metrics.jsonl until it returns false; the file is never held as a whole. Returns how many lines are not rows
/// (cut off while they were written); they are passed over.
std::size_t each_row(const fs::path& job_directory, const std::function<bool(const MetricRow&)>& use);

/// The same of all rows. Throws a data error where a finished job's rows are not those that it wrote.
void for_each_row(const fs::path& job_directory, const std::function<void(const MetricRow&)>& use);

}  // namespace yatlab
