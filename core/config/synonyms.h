#pragma once

#include <string>

namespace yatlab {

/// What to type or do instead of a key of another program: "write optimizer.lr=0.1" for optimizer.learning_rate and 0.1; "" for an unknown key.
/// value: as typed after '='.
std::string key_synonym(const std::string& key, const std::string& value);

/// The same for a key in a YAML file: "write optimizer: {lr: 0.1}".
std::string file_key_synonym(const std::string& key, const std::string& value);

/// Yatlab's option of a group for one of another program: "tpe" for sweeper and optuna; "" if there is none.
std::string choice_synonym(const std::string& group, const std::string& option);

/// The override for an option "--epochs" with a value: "trainer.epochs=3"; "" if there is none.
std::string option_synonym(const std::string& option, const std::string& value);

/// Yatlab's name for a command of another program: "run" for train; "" if there is none.
std::string command_synonym(const std::string& command);

}  // namespace yatlab
