#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// User notes about a run: notes.yaml in its folder.
struct RunNotes {
  std::vector<std::string> tags;  ///< in alphabetical order, without duplicates
  std::string note;
  bool operator==(const RunNotes& o) const { return tags == o.tags && note == o.note; }
};

/// Empty when there are none. Throws a data error when notes.yaml is malformed.
RunNotes read_notes(const fs::path& run);

/// Changes the notes under a lock, and writes them. Without tags and note the file is removed.
RunNotes change_notes(const fs::path& run, const std::function<void(RunNotes&)>& change);

/// Throws a config error that gives the reason if a text cannot be a tag: letters, digits, `_`, `-`, `.`; at most 60 bytes.
void require_tag(const std::string& tag);

}  // namespace yatlab
