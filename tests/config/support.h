#pragma once

#include <fmt/format.h>

#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/node.h"
#include "temporary_folder.h"

namespace yatlab::testing {

/// A value with its type visible: "text", 1, 1.0, true, null, [..], {"k": v}.
inline std::string show(const Node& node) {
  if (node.is_string()) return "\"" + node.as_string() + "\"";
  std::string out;
  if (node.is_list()) {
    for (const auto& item : node.as_list()) out += (out.empty() ? "" : ", ") + show(item);
    return "[" + out + "]";
  }
  if (node.is_map()) {
    for (const auto& [key, item] : node.as_map()) out += (out.empty() ? "" : ", ") + show(Node(key)) + ": " + show(item);
    return "{" + out + "}";
  }
  return node.to_flow();
}

inline std::string show(const std::vector<Node>& nodes) { return show(Node(nodes)); }

/// The text of the config error that `body` throws; "no error" if it throws none.
template <class F>
std::string error_of(F&& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.kind() == ErrorKind::kConfig ? e.what() : fmt::format("wrong kind of error: {}", e.what());
  }
  return "no error";
}

struct File {
  std::string path, text;
};

/// A folder of config files, deleted with the object. It becomes the working directory,
/// so that origins show short, relative paths.
class TempTree {
 public:
  TempTree(std::initializer_list<File> files) : TempTree(std::vector<File>(files)) {}
  explicit TempTree(const std::vector<File>& files) : before_(fs::current_path()) {
    fs::current_path(folder_.path());
    for (const auto& file : files) write(file.path, file.text);
  }
  ~TempTree() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  void write(const fs::path& path, const std::string& text) const {
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

 private:
  TemporaryFolder folder_;
  fs::path before_;
};

}  // namespace yatlab::testing
