#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace yatlab {

/// The software and hardware of a run, from its environment.json.
struct MadeWith {
  std::string revision;  ///< full Git revision of the program's source tree; "" if it was not a git tree
  bool changed = false;  ///< the tree differed from that revision
  std::string libtorch, cpu;
  std::string gpu = {};  ///< "" for a run on the CPU
  int cores = 0;         ///< of the CPU; 0 if not recorded
};

/// Nullopt if the run has no such file, or it cannot be read.
std::optional<MadeWith> made_with(const std::filesystem::path& run);

/// In the format of summary.json.
nlohmann::ordered_json made_with_json(const MadeWith& made);
/// Nullopt if `json` is not such an object.
std::optional<MadeWith> made_with_of(const nlohmann::ordered_json& json);

/// "revision 4c779d9b43 with changes, LibTorch 1.13.0, AMD EPYC"; missing parts are called unknown.
std::string made_with_text(const std::optional<MadeWith>& made);

}  // namespace yatlab
