#include "core/compose/configured_plugins.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/interpolation.h"
#include "core/config/override.h"
#include "core/config/yaml.h"
#include "core/registry/plugin_library.h"

namespace yatlab {
namespace {

/// The entries of a `plugins.path`, which must be a list of texts.
std::vector<std::string> plugin_paths(const Node& given) {
  const Node paths = resolve(given);
  if (!paths.is_list()) {
    throw config_error(fmt::format("plugins.path must be a list of libraries, found {}", shortened(paths.to_flow())),
                       paths.origin().describe(), {},
                       fmt::format("write plugins.path=[{}]", paths.is_string() ? paths.as_string() : "my_kernels.so"));
  }
  std::vector<std::string> out;
  for (const auto& item : paths.as_list()) out.push_back(item.as_string());
  return out;
}

/// The new `plugins.path` in an override, for `plugins.path=...` or `plugins={path: ...}`; nullptr for other overrides.
const Node* path_in(const Override& o) {
  if (o.is_sweep() || o.kind == OverrideKind::kDelete) return nullptr;
  if (o.key == "plugins.path") return &o.value;
  return o.key == "plugins" ? o.value.find("path") : nullptr;
}

}  // namespace

std::vector<std::string> load_configured_plugins(const std::filesystem::path& experiment, const std::vector<std::string>& overrides) {
  std::vector<std::string> written;
  std::vector<std::filesystem::path> files;
  const Node file = load_yaml(experiment);
  if (const Node* found = file.find_path("plugins.path"); found && !found->is_null()) {
    written = plugin_paths(*found);
    for (const auto& path : written) files.push_back(experiment.parent_path() / path);
  }
  for (const auto& text : overrides) {
    if (text.find("plugins") == std::string::npos) continue;
    const auto o = parse_override(text, "command line");
    const bool gone = o.kind == OverrideKind::kDelete && (o.key == "plugins.path" || o.key == "plugins");
    const Node* found = path_in(o);
    if (!found && !gone) continue;
    if (o.kind != OverrideKind::kExtend) {
      written.clear();
      files.clear();
    }
    if (gone) continue;
    for (const auto& path : plugin_paths(*found)) {
      written.push_back(path);
      files.emplace_back(path);
    }
  }
  load_plugins(files);
  return written;
}

void require_configured_plugins(const Node& composed_path, const std::vector<std::string>& loaded) {
  const auto wanted = plugin_paths(composed_path);
  if (wanted == loaded) return;
  throw config_error(fmt::format("plugins.path is [{}], but [{}] was loaded", join(wanted, ", "), join(loaded, ", ")),
                     composed_path.origin().describe(), "libraries are loaded before an experiment's defaults, scales and arms are read",
                     fmt::format("set it in the experiment's own file or on the command line: plugins.path=[{}]", join(wanted, ",")));
}

}  // namespace yatlab
