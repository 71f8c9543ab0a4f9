#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/cli/command.h"

namespace yatlab::cli {

/// The possible completions of a word. Texts that end in '=', '.' or '/' can be completed further.
struct Completion {
  std::string text, doc;
};
using Completions = std::vector<Completion>;

bool begins(const std::string& text, const std::string& with);
Completions plain_words(const std::vector<std::string>& words);

/// A command line with an experiment, as far as it is typed.
struct TypedExperiment {
  std::filesystem::path file;
  std::vector<std::string> overrides, config_folders;
  bool quoted = false;  ///< the word being typed begins with a quote
};
/// Completions of an arm's name, a key, or an override (including `+`, `++` and `~`). Composes the experiment, bare and in each arm, so only
/// `yatlab-torch` implements it.
enum class ExperimentPart { kArm, kKey, kOverride };
Completions complete_in_experiment(const TypedExperiment& typed, ExperimentPart part, const std::string& word);

/// Whether a line `complete -- WORD ...` can be completed without composing an experiment or loading components: the first word, or the words of
/// a command that needs neither.
bool completes_plainly(const std::vector<std::string>& words, bool (*needs_more)(const Command&));

}  // namespace yatlab::cli
