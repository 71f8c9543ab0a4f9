#pragma once

#include <string>
#include <vector>

namespace yatlab::cli {

/// The meaning of one of Hydra's flags here.
enum class HydraMeaning {
  kConfig,      ///< --cfg: shows the composed config
  kInfo,        ///< --info: shows what the config is made of
  kName,        ///< --config-name: the experiment
  kPath,        ///< --config-path: the folder that the experiment is in
  kRun,         ///< --run: the default of a command line without a command
  kConfigOnly,  ///< an option of `config`; refused elsewhere
  kOther,       ///< refused; the error names the equivalent
};

struct HydraFlag {
  const char* name;     ///< "--cfg"
  const char* letters;  ///< "-c", or ""
  enum Value { kNone, kOptional, kRequired } value;
  HydraMeaning meaning;
  const char* here;     ///< one line: its equivalent here
  const char* instead;  ///< what to write, with {} for the flag's value; "" for flags that work
};

/// The flag of a word such as "--cfg", "--cfg=job" or "-c"; nullptr if it is not one of Hydra's.
const HydraFlag* find_hydra_flag(const std::string& word);

/// Config error that names the flag's equivalent here. `experiment`: as typed, for the suggestion.
[[noreturn]] void refuse_hydra_flag(const HydraFlag& flag, const std::string& value, const std::string& experiment);

/// Config error for an override of Hydra's own settings (hydra.run.dir=..., hydra/launcher=...) that names its equivalent here.
void refuse_hydra_key(const std::string& override_text);

/// All of them, as `yatlab help hydra` prints them.
std::string hydra_help();

}  // namespace yatlab::cli
