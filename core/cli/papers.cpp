#include "core/cli/papers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/cli/experiments.h"
#include "core/config/yaml.h"

namespace yatlab::cli {
namespace {

std::string text_at(const Node& paper, const char* key, const std::string& otherwise) {
  const Node* found = paper.find(key);
  if (!found || found->is_null()) return otherwise;
  if (!found->is_string()) {
    throw config_error(fmt::format("'{}' of a paper must be a string, found {}", key, shortened(found->to_flow())),
                       found->origin().describe());
  }
  return found->as_string();
}

Paper read_paper_file(const fs::path& file, const std::string& folder) {
  const Node content = load_yaml(file);
  if (!content.is_map()) {
    throw config_error("a paper must be a map", file.string(), {}, "write id, title and claims: docs/papers.md");
  }
  Paper out;
  out.file = file;
  out.id = text_at(content, "id", folder);
  out.title = text_at(content, "title", "");
  out.results = text_at(content, "results", "results/" + out.id);
  if (const auto why = why_no_folder_name(out.id); !why.empty()) {
    throw config_error(fmt::format("'{}' cannot be the id of a paper", shortened(out.id)), file.string(), why,
                       "use lower-case letters, digits and '_'");
  }
  return out;
}

std::vector<Paper> papers_below(const fs::path& root) {
  std::vector<Paper> out;
  for (const auto& file : paper_files(root)) {
    const auto folder = file.parent_path().lexically_relative(root);
    out.push_back(read_paper_file(file, folder == "." ? "paper" : folder.filename().string()));
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
      if (out[i].id != out.back().id) continue;
      throw config_error(fmt::format("two papers have the id '{}'", out[i].id), file.string(), "the other is " + out[i].file.string(),
                         "give one of them a different 'id'");
    }
  }
  return out;
}

std::vector<Paper>::const_iterator called(const std::vector<Paper>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Paper& p) { return p.id == name; });
  if (found != all.end()) return found;
  return std::find_if(all.begin(), all.end(), [&](const Paper& p) { return p.file.parent_path().filename() == name; });
}

/// The paper's file in the nearest folder above an experiment, up to the folder of experiments.
fs::path nearest_file(const fs::path& experiment, const fs::path& root) {
  for (fs::path folder = experiment.parent_path();; folder = folder.parent_path()) {
    if (is_there(folder / kPaperFile)) return (folder / kPaperFile).lexically_normal();
    if (folder == root || folder.empty() || folder == folder.parent_path()) return {};
  }
}

}  // namespace

std::vector<Paper> papers() {
  for (const auto& root : experiment_roots()) {
    if (auto found = papers_below(root); !found.empty() || !experiment_files_below(root).empty()) return found;
  }
  return {};
}

Paper find_paper(const std::string& name) {
  const auto all = papers();
  if (all.empty()) {
    throw config_error("there is no paper file", "experiments/paper.yaml", "",
                       "go to the project's folder, or create a paper: yatlab new paper my_paper");
  }
  if (name.empty()) return all.front();
  const auto found = called(all, name);
  if (found != all.end()) return *found;
  std::vector<std::string> ids;
  for (const auto& paper : all) ids.push_back(paper.id);
  // Without a near name the suggestion lists them all.
  const auto hint = suggestion(name, ids);
  const bool listed = hint.find(join(ids, ", ")) != std::string::npos;
  throw config_error(fmt::format("there is no paper '{}'", name), "command line", listed ? "" : "papers: " + join(ids, ", "), hint);
}

bool is_paper(const std::string& name) {
  const auto all = papers();
  return called(all, name) != all.end();
}

std::vector<fs::path> experiments_of(const Paper& paper) {
  std::vector<fs::path> out;
  for (const auto& root : experiment_roots()) {
    for (const auto& file : experiment_files_below(root)) {
      if (nearest_file(file, root) == paper.file.lexically_normal()) out.push_back(file);
    }
    if (!out.empty()) break;
  }
  return out;
}

std::vector<std::string> experiment_names_of(const Paper& paper) {
  std::vector<std::string> out;
  for (const auto& file : experiments_of(paper)) out.push_back(experiment_name(file));
  return out;
}

Paper paper_of(const fs::path& experiment) {
  const auto all = papers();
  const auto near = nearest_file(experiment, {});
  for (const auto& paper : all) {
    std::error_code ec;
    if (fs::equivalent(paper.file, near, ec)) return paper;
  }
  return all.empty() ? Paper{} : all.front();
}

}  // namespace yatlab::cli
