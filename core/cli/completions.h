#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/cli/command.h"

namespace yatlab::cli {

/// What a word may go on as. Texts that end in '=', '.' or '/' go on themselves.
struct Completion {
  std::string text, doc;
};
using Completions = std::vector<Completion>;

bool begins(const std::string& text, const std::string& with);
Completions plain_words(const std::vector<std::string>& words);

/// An experiment as far as it is typed.
struct TypedExperiment {
  std::filesystem::path file;
  std::vector<std::string> overrides, config_folders;
  bool quoted = false;  ///< the word that is typed began with a quote
};
/// What goes on: an arm's name, a key, or an override (`+`, `++`, `~` before it included). Composes the experiment, bare and in each arm: of
/// `yatlab-torch` alone.
enum class ExperimentPart { kArm, kKey, kOverride };
Completions complete_in_experiment(const TypedExperiment& typed, ExperimentPart part, const std::string& word);

/// Whether `words`, of a line `complete -- WORD ...`, ask for nothing that only an experiment or a component knows: the first word,
/// or the words of a command that does not need more.
bool completes_plainly(const std::vector<std::string>& words, bool (*needs_more)(const Command&));

}  // namespace yatlab::cli
