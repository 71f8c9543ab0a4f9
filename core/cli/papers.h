#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace yatlab::cli {

/// A paper whose claims and numbers are compared with results: a file paper.yaml beside its experiments.
struct Paper {
  std::string id;                 ///< its name in commands; default: the folder's name, or "paper" for experiments/paper.yaml
  std::string title;              ///< "" if the file has none
  std::filesystem::path file;     ///< experiments/<folder>/paper.yaml
  std::filesystem::path results;  ///< the folder of its report: `results` of the file, else results/<id>
};

/// Papers of the first folder of experiments that is not empty, experiments/paper.yaml first, then by folder. Config error if a file
/// is not a map, or if two papers have the same id.
std::vector<Paper> papers();

/// The paper with this id or folder name; "" is the first one. Config error, which lists the papers, for an unknown name.
Paper find_paper(const std::string& name);

/// Whether `find_paper` would find it.
bool is_paper(const std::string& name);

/// The experiments of a paper: those whose nearest paper file, in the folders above them, is this one.
std::vector<std::filesystem::path> experiments_of(const Paper& paper);

/// The names of their results folders.
std::vector<std::string> experiment_names_of(const Paper& paper);

/// The paper that an experiment's file belongs to, else the first paper; with an empty id if there are no papers.
Paper paper_of(const std::filesystem::path& experiment);

}  // namespace yatlab::cli
