#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace yatlab::cli {

/// The folder of the run that a word means: a path, an experiment (its latest run), EXPERIMENT/BEGINNING or BEGINNING of a run's id, the
/// beginning of what follows the time in it or of the hash at its end, a name that `runs` has cut in the
/// middle, or tag:NAME. Otherwise, or when it may mean several, a config error that says which there are.
std::filesystem::path find_run(const std::string& word, const std::filesystem::path& results = "results");

/// The newest run below `results`. Config error when there is none.
std::filesystem::path newest_run(const std::filesystem::path& results);

/// Words for runs that begin so, for completion: experiments, EXPERIMENT/ID, tag:NAME.
std::vector<std::string> run_words(const std::string& begin, const std::filesystem::path& results);

}  // namespace yatlab::cli
