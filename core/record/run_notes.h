#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// What people say about a run: notes.yaml in its folder.
struct RunNotes {
  std::vector<std::string> tags;  ///< in alphabetical order, each once
  std::string note;
  bool operator==(const RunNotes& o) const { return tags == o.tags && note == o.note; }
};

/// Empty when there are none. Throws a data error when notes.yaml is no such file.
RunNotes read_notes(const fs::path& run);

/// Changes them while nobody else does, and writes them. Without tags and note no file stays.
RunNotes change_notes(const fs::path& run, const std::function<void(RunNotes&)>& change);

/// Throws a config error that says why when a text cannot be a tag: letters, digits, `_`, `-`, `.`; at most 60 bytes.
void require_tag(const std::string& tag);

}  // namespace yatlab
