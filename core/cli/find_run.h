#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace yatlab::cli {

/// The folder of the run that a word refers to: a path, an experiment (its latest run), EXPERIMENT/BEGINNING or BEGINNING of a run's id, the
/// beginning of the part after the time or of the hash at its end, a name that `runs` has shortened in the
/// middle, or tag:NAME. Config error, which lists the choices, if there is no such run or more than one.
std::filesystem::path find_run(const std::string& word, const std::filesystem::path& results = "results");

/// The newest run below `results`. Config error when there is none.
std::filesystem::path newest_run(const std::filesystem::path& results);

/// Completions of a word for a run: experiments, EXPERIMENT/ID, tag:NAME.
std::vector<std::string> run_words(const std::string& begin, const std::filesystem::path& results);

}  // namespace yatlab::cli
