#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// A point that a search proposed. Its results are in its jobs' folders.
struct ProposedTrial {
  std::int64_t number = 0;  ///< within its arm, from 0
  std::string arm;
  std::vector<std::pair<std::string, Node>> point;  ///< key -> value, for all keys of the sweep, including those that the arm lacks
};

/// trials.jsonl of a run: one line per trial, appended and synced before any of its jobs begins. A line that a power cut left incomplete is ignored;
/// nothing of its trial had begun.
class TrialLog {
 public:
  explicit TrialLog(const fs::path& run) : path_(run / "trials.jsonl") {}

  /// In proposal order. Throws a data error for lines that this program did not write.
  std::vector<ProposedTrial> read() const;
  void append(const std::vector<ProposedTrial>& trials) const;

 private:
  fs::path path_;
};

}  // namespace yatlab
