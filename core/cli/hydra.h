#pragma once

#include <string>
#include <vector>

namespace yatlab::cli {

/// What one of Hydra's flags does here.
enum class HydraMeaning {
  kConfig,      ///< --cfg: shows the composed config
  kInfo,        ///< --info: shows what the config is made of
  kName,        ///< --config-name: the experiment
  kPath,        ///< --config-path: the folder that the experiment is in
  kRun,         ///< --run: what a command line without a command does anyway
  kConfigOnly,  ///< an option of `config`; refused elsewhere
  kOther,       ///< refused, with what it is here
};

struct HydraFlag {
  const char* name;     ///< "--cfg"
  const char* letters;  ///< "-c", or ""
  enum Value { kNone, kOptional, kRequired } value;
  HydraMeaning meaning;
  const char* here;     ///< one line: what it is here
  const char* instead;  ///< what to write, with {} for the flag's value; "" for flags that work
};

/// The flag that a word is: "--cfg", "--cfg=job" or "-c". nullptr for any other word.
const HydraFlag* find_hydra_flag(const std::string& word);

/// Config error that says what the flag is here. `experiment`: as it was typed, for the proposal.
[[noreturn]] void refuse_hydra_flag(const HydraFlag& flag, const std::string& value, const std::string& experiment);

/// Config error for an override of Hydra's own settings (hydra.run.dir=..., hydra/launcher=...) that says what it is here.
void refuse_hydra_key(const std::string& override_text);

/// All of them, as `yatlab help hydra` prints them.
std::string hydra_help();

}  // namespace yatlab::cli
