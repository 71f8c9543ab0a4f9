#include "core/data/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace yatlab {
namespace {

std::vector<std::string> strings_of(const Node& dataset, const char* key) {
  std::vector<std::string> out;
  if (const Node* list = dataset.find(key)) {
    for (const auto& item : list->as_list()) out.push_back(item.as_string());
  }
  return out;
}

}  // namespace

// `substitute: NAME`, `substitute: {name: NAME, ...}`, or the option of `defaults: - /dataset@substitute: NAME`.
std::string substitute_of(const Node& dataset) {
  if (const Node* s = dataset.find("substitute")) {
    if (s->is_string()) return s->as_string();
    if (s->is_map()) return s->at("name").as_string();
  }
  if (const Node* defaults = dataset.find("defaults")) {
    for (const auto& item : defaults->as_list()) {
      if (const Node* option = item.find("/dataset@substitute")) return option->as_string();
    }
  }
  return "";
}

FileSet declared_files(const Node& dataset) {
  const Node* files = dataset.find("files");
  const Node* folder = dataset.find("folder");
  return declare_files(dataset.at("name").as_string(), files ? *files : Node::map(), strings_of(dataset, "mirrors"),
                       strings_of(dataset, "system_paths"), "dataset", folder ? folder->as_string() : "");
}

bool DatasetStatus::complete() const {
  return std::all_of(files.begin(), files.end(), [](const FileState& f) { return f.kind == FileState::kPresent; });
}

bool DatasetStatus::authenticated() const {
  return std::all_of(files.begin(), files.end(), [](const FileState& f) { return f.declared.authenticated(); });
}

bool DatasetStatus::wrong() const {
  return std::any_of(files.begin(), files.end(), [](const FileState& f) { return f.kind == FileState::kWrong; });
}

std::string DatasetStatus::summary() const {
  if (files.empty()) return "part of Yatlab";
  std::vector<std::string> folders, missing, bad;
  for (const auto& f : files) {
    if (f.kind == FileState::kMissing) missing.push_back(f.declared.file);
    if (f.kind == FileState::kWrong) bad.push_back(f.path.string());
    if (f.kind != FileState::kPresent) continue;
    const auto folder = f.path.parent_path().string();
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  }
  std::vector<std::string> parts;
  if (complete()) parts.push_back("present in " + join(folders, ", "));
  if (!bad.empty()) parts.push_back("wrong: " + join(bad, ", "));
  if (!missing.empty()) parts.push_back("missing: " + join(missing, ", "));
  if (!substitute.empty() && bad.empty() && !complete()) parts.push_back("substitute: " + substitute);
  if (!authenticated()) parts.emplace_back(kUnauthenticated);
  return join(parts, "; ");
}

DatasetStatus dataset_status(const Node& dataset, const DataContext& context) {
  const auto set = declared_files(dataset);
  DatasetStatus out;
  out.name = set.dataset;
  for (const auto& file : set.files) out.files.push_back(look_up(file, set, context));
  out.substitute = substitute_of(dataset);
  return out;
}

std::map<std::string, std::filesystem::path> fetch_dataset(const Node& dataset, const DataContext& context) {
  return fetch_files(declared_files(dataset), context);
}

DatasetStatus verify_dataset(const Node& dataset, const DataContext& context) {
  auto status = dataset_status(dataset, context);
  std::vector<std::string> problems;
  for (const auto& f : status.files) {
    if (f.kind == FileState::kMissing) problems.push_back(f.declared.file + ": missing");
    problems.insert(problems.end(), f.wrong.begin(), f.wrong.end());
  }
  if (status.complete()) return status;
  throw data_error(fmt::format("'{}' failed verification", status.name), {}, join(problems, "; "),
                   fmt::format("move the wrong files away, then run 'yatlab data fetch {}'", status.name));
}

std::vector<std::string> published_sha256(const Node& dataset) {
  auto set = declared_files(dataset);
  const auto known = [](const DataFile& file) { return file.authenticated(); };
  if (set.files.empty() || !std::all_of(set.files.begin(), set.files.end(), known)) return {};
  std::vector<std::string> out{combined_sha256(set)};
  const auto is_names = [](const DataFile& file) { return file.key == "labels"; };
  set.files.erase(std::remove_if(set.files.begin(), set.files.end(), is_names), set.files.end());
  if (auto without = combined_sha256(set); !set.files.empty() && without != out.front()) out.push_back(std::move(without));
  return out;
}

}  // namespace yatlab
