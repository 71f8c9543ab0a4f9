#pragma once

#include <string_view>

#include "core/base/output_file.h"

namespace yatlab {

/// A file that is written in pieces and appears either complete or not at all. Until `place` it has a temporary name; without `place` it is removed.
/// Creates missing folders. For contents available in one piece, use `write_file_atomic`.
class WholeFile {
 public:
  /// durable: synced, with its folder, so that it survives a power cut.
  explicit WholeFile(fs::path path, bool durable = true);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view bytes) { file_.write(bytes); }
  /// Renames it to its final name, replacing any existing file. Call it once, at the end.
  void place();

 private:
  fs::path path_, temporary_;
  OutputFile file_;
  bool durable_;
};

}  // namespace yatlab
