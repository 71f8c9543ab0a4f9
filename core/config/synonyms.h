#pragma once

#include <string>

namespace yatlab {

/// What to type instead of a key of another program: "write optimizer.lr=0.1" for optimizer.learning_rate and 0.1; "" for an unknown key.
/// value: as typed after '='.
std::string key_synonym(const std::string& key, const std::string& value);

/// The override for an option "--epochs" with a value: "trainer.epochs=3"; "" if there is none.
std::string option_synonym(const std::string& option, const std::string& value);

/// Yatlab's name for a command of another program: "run" for train; "" if there is none.
std::string command_synonym(const std::string& command);

}  // namespace yatlab
