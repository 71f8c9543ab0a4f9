#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab::cli {

/// Folders of experiments, the caller's own first, then the project's (or the installed ones).
std::vector<std::filesystem::path> experiment_roots();

/// The file that describes a paper, beside its experiments: no experiment (papers.h).
constexpr std::string_view kPaperFile = "paper.yaml";

/// Experiments in a folder and those below it, sorted.
std::vector<std::filesystem::path> experiment_files_below(const std::filesystem::path& root);
/// Files called kPaperFile in the same folders, that of the folder itself first.
std::vector<std::filesystem::path> paper_files(const std::filesystem::path& root);

/// Names without folder and ending: "xor", "sweeps/mnist_protocol".
std::vector<std::string> experiment_names();

/// The file that a word means: a path, a path without .yaml, or a name in a folder of experiments ("xor",
/// "sweeps/mnist_protocol", "experiments/xor"; the name alone also finds files in folders below). Empty when there is none.
/// Config error when the word may mean several files.
std::filesystem::path find_experiment(const std::string& word);

/// Whether a word is an override: key=value, +key=value, ~key. One that names a .yaml file that is there is none.
bool is_override(const std::string& word);

/// The file of the experiment that stands first in `words`; overrides follow it. Otherwise a config error that says what
/// the first word is, and what to write. `command`: after which the words were typed; "" when the first may also be
/// meant as a command.
std::filesystem::path required_experiment(const std::vector<std::string>& words, const std::string& command);

/// Its name, by which results are filed: `name` of the file, else the file's own.
std::string experiment_name(const std::filesystem::path& file);

/// What the file says that it is; "" where it says nothing or cannot be read.
std::string experiment_title(const std::filesystem::path& file);

}  // namespace yatlab::cli
