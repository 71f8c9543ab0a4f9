#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace yatlab::cli {

/// A paper whose claims and numbers are compared with results: a file paper.yaml beside its experiments.
struct Paper {
  std::string id;                 ///< what commands call it; default: the folder's name, "paper" of experiments/paper.yaml
  std::string title;              ///< "" where the file has none
  std::filesystem::path file;     ///< experiments/<folder>/paper.yaml
  std::filesystem::path results;  ///< the folder of its report: `results` of the file, else results/<id>
};

/// Papers of the first folder of experiments that is not empty, experiments/paper.yaml first, then by folder. Config error where a file is no map, or
/// two have one id.
std::vector<Paper> papers();

/// The paper called so, by its id or the name of its folder; "" is the first. Config error, which lists those that are there, for another.
Paper find_paper(const std::string& name);

/// Whether `find_paper` finds one.
bool is_paper(const std::string& name);

/// The experiments of a paper: those of which its file is the nearest in the folders above them.
std::vector<std::filesystem::path> experiments_of(const Paper& paper);

/// Their names, by which results are filed.
std::vector<std::string> experiment_names_of(const Paper& paper);

/// The paper that an experiment's file belongs to; the first paper where it belongs to none. An empty id where there are no papers.
Paper paper_of(const std::filesystem::path& experiment);

}  // namespace yatlab::cli
