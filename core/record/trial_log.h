#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// A point that a search asked for. What came of it is in its jobs' folders.
struct AskedTrial {
  std::int64_t number = 0;  ///< of its arm, from 0
  std::string arm;
  std::vector<std::pair<std::string, Node>> point;  ///< key -> value, all keys of the sweep, those too that the arm lacks
};

/// trials.jsonl of a run: one line for each trial, appended and synced before any job of it begins. A line that a power cut left half is none, and
/// nothing of its trial had begun.
class TrialLog {
 public:
  explicit TrialLog(const fs::path& run) : path_(run / "trials.jsonl") {}

  /// In the order in which they were asked for. Throws a data error for lines that nobody of ours wrote.
  std::vector<AskedTrial> read() const;
  void append(const std::vector<AskedTrial>& trials) const;

 private:
  fs::path path_;
};

}  // namespace yatlab
