#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace yatlab {

/// What a run was made with, as its environment.json tells.
struct MadeWith {
  std::string revision;  ///< of the program's tree, whole; "" where it was not a git tree
  bool changed = false;  ///< the tree differed from that revision
  std::string libtorch, cpu;
};

/// Nothing where the run has no such file, or it cannot be read.
std::optional<MadeWith> made_with(const std::filesystem::path& run);

/// As summary.json keeps it.
nlohmann::ordered_json made_with_json(const MadeWith& made);
/// Nothing where `json` is no such object.
std::optional<MadeWith> made_with_of(const nlohmann::ordered_json& json);

/// "revision 4c779d9b43 with changes, LibTorch 1.13.0, AMD EPYC"; what it does not tell is said to be unknown.
std::string made_with_text(const std::optional<MadeWith>& made);

}  // namespace yatlab
