#pragma once

#include <string_view>

#include "core/base/output_file.h"

namespace yatlab {

/// A file that is written in pieces, and lies there whole or not at all: until `place` it has another name, and is removed if there is none.
/// Missing folders are made. What is at hand in one piece takes `write_file_atomic`.
class WholeFile {
 public:
  /// durable: synced, with its folder, so that it survives a power cut.
  explicit WholeFile(fs::path path, bool durable = true);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view bytes) { file_.write(bytes); }
  /// Gives it its name, in the place of what had it. Once, and last.
  void place();

 private:
  fs::path path_, temporary_;
  OutputFile file_;
  bool durable_;
};

}  // namespace yatlab
