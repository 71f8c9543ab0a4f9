#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/base/files.h"
#include "core/record/metric_row.h"

namespace yatlab {

/// The file in which a job logs its metrics during training.
fs::path history_file(const fs::path& job_directory);

/// How a finished job's metrics.jsonl differs from what the job wrote (manifest.json). "" if it does not, or if there is no manifest, so that the job
/// is not finished. Reads every byte.
std::string damage_of_history(const fs::path& job_directory);

/// A row as a line of metrics.jsonl: {"step": 10, "epoch": 0.5, "tokens": 4096, "<metric>": value, ...}.
nlohmann::ordered_json to_json(const MetricRow& row);

/// The row in such a line; nullopt for an incomplete line.
std::optional<MetricRow> row_in(const std::string& line);

/// Calls `use` for each row of a job's metrics.jsonl until it returns false; never holds the whole file in memory. Skips lines that are not rows
/// (cut off during writing) and returns their number.
std::size_t each_row(const fs::path& job_directory, const std::function<bool(const MetricRow&)>& use);

/// The same for all rows. Throws a data error if a finished job's rows differ from what it wrote.
void for_each_row(const fs::path& job_directory, const std::function<void(const MetricRow&)>& use);

}  // namespace yatlab
