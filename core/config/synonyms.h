#pragma once

#include <string>
#include <utility>
#include <vector>

namespace yatlab {

/// What to type or do instead of a key of another program: "write optimizer.lr=0.1" for optimizer.learning_rate and 0.1; "" for an unknown key.
/// value: as typed after '='.
std::string key_synonym(const std::string& key, const std::string& value);

/// The same for a key in a YAML file: "write optimizer: {lr: 0.1}".
std::string file_key_synonym(const std::string& key, const std::string& value);

/// What to write instead of a value for a key that holds several settings: "write dataset=mnist" for data and mnist; "" if nothing is known.
/// typed: on the command line, not in a file.
std::string value_synonym(const std::string& key, const std::string& value, bool typed);

/// What to write instead of a map of another program's settings: "write tracker: {name: wandb, mode: offline}" for wandb: {mode: offline}; "" if
/// nothing is known. settings: the map's keys and values.
std::string map_synonym(const std::string& key, const std::vector<std::pair<std::string, std::string>>& settings, bool typed);

/// Yatlab's option of a group for one of another program: "tpe" for sweeper and optuna; "" if there is none.
std::string choice_synonym(const std::string& group, const std::string& option);

/// The override for an option "--epochs" with a value: "trainer.epochs=3"; "" if there is none.
std::string option_synonym(const std::string& option, const std::string& value);

/// Yatlab's name for a command of another program: "run" for train; "" if there is none.
std::string command_synonym(const std::string& command);

/// What to do instead of a command that no command replaces: `login`; "" if nothing is known.
std::string command_answer(const std::string& command);

/// Yatlab's kind of component for another program's word: "architecture" for models; "" if there is none.
std::string kind_synonym(const std::string& word);

}  // namespace yatlab
