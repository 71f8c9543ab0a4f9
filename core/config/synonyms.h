#pragma once

#include <string>

namespace yatlab {

/// What to type here for a key of another program: "write optimizer.lr=0.1" for optimizer.learning_rate and 0.1; "" where it is nobody's.
/// value: as it was typed behind '='.
std::string key_synonym(const std::string& key, const std::string& value);

/// The override for an option "--epochs" with a value: "trainer.epochs=3"; "" where there is none.
std::string option_synonym(const std::string& option, const std::string& value);

/// The command here for one of another program: "run" for train; "" where there is none.
std::string command_synonym(const std::string& command);

}  // namespace yatlab
