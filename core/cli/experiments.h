#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab::cli {

/// Folders of experiments, the caller's own first, then the project's (or the installed ones).
std::vector<std::filesystem::path> experiment_roots();

/// The file that describes a paper, in the folder of its experiments. It is not an experiment (papers.h).
constexpr std::string_view kPaperFile = "paper.yaml";

/// Experiments in a folder and those below it, sorted.
std::vector<std::filesystem::path> experiment_files_below(const std::filesystem::path& root);
/// Files called kPaperFile in the same folders, that of the folder itself first.
std::vector<std::filesystem::path> paper_files(const std::filesystem::path& root);

/// Names without folder and ending: "xor", "sweeps/mnist_protocol".
std::vector<std::string> experiment_names();

/// The file that a word refers to: a path, a path without .yaml, or a name in a folder of experiments ("xor",
/// "sweeps/mnist_protocol", "experiments/xor"; the name alone also finds files in folders below). Empty when there is none.
/// Config error if the word matches several files.
std::filesystem::path find_experiment(const std::string& word);

/// Whether a word is an override: key=value, +key=value, ~key. The name of an existing .yaml file is not one.
bool is_override(const std::string& word);

/// The file of the experiment that is the first of `words`; the others are overrides. Otherwise a config error that says what
/// the first word is, and what to write. `command`: the command before the words; "" if the first one may also be
/// meant as a command.
std::filesystem::path required_experiment(const std::vector<std::string>& words, const std::string& command);

/// Throws for a word that is a scale of the experiment or another experiment, where overrides were expected.
void refuse_bare_words(const std::vector<std::string>& words, const std::filesystem::path& experiment);

/// The name of its results folder: the key `name` in the file, else the file's name.
std::string experiment_name(const std::filesystem::path& file);

/// The title in the file; "" if it has none or cannot be read.
std::string experiment_title(const std::filesystem::path& file);

}  // namespace yatlab::cli
