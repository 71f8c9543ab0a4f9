#include "core/base/whole_file.h"

#include <utility>

#include "core/base/file_calls.h"

namespace yatlab {
namespace {

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

}  // namespace

WholeFile::WholeFile(fs::path path, bool durable) : path_(std::move(path)), temporary_(temporary_name(path_)), durable_(durable) {
  make_folders(folder_of(path_));
  file_ = OutputFile(temporary_, OutputFile::Mode::kNew, path_);
}

WholeFile::~WholeFile() {
  if (file_) file_calls().remove(temporary_.c_str());
}

void WholeFile::place() {
  if (durable_) file_.sync();
  if (file_calls().rename(temporary_.c_str(), path_.c_str()) != 0) throw_file_error("place", path_);
  file_.close();
  if (durable_) sync_directory(folder_of(path_));
}

}  // namespace yatlab
