#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// How a plugin library was built, according to its own manifest (see plugin_api.h).
struct PluginManifest {
  std::string name, version;  ///< the plugin's own; empty for the host
  std::string api;            ///< YATLAB_PLUGIN_API
  std::string compiler;       ///< "gcc 12"
  std::string cxxabi;         ///< __GXX_ABI_VERSION
  std::string cxx11_string;   ///< _GLIBCXX_USE_CXX11_ABI
  std::string standard;       ///< __cplusplus: "201703L"
  std::string torch;          ///< "1.13.0"
};

/// What a library must match to be loaded by this program.
const PluginManifest& host_manifest();

/// A loaded library. Libraries stay loaded until the process ends.
struct LoadedPlugin {
  std::string name, version;
  fs::path path;                        ///< canonical
  std::string sha256;                   ///< of the file; goes into a run's environment.json
  std::vector<std::string> components;  ///< "operator/rational", in alphabetical order
};

/// Reads the manifest from an ELF file's bytes without running any of its code. Throws a plugin error when the
/// file is not a shared library for this type of machine, is not a Yatlab plugin, or is damaged. `path` is only used in messages.
PluginManifest read_manifest(std::string_view bytes, const fs::path& path);

/// Throws a plugin error that names the part of `manifest` that differs from the host's.
void check_manifest(const PluginManifest& manifest, const fs::path& path);

/// Loads each path: a library, or a folder, whose `*.so` files are loaded in alphabetical order.
/// Libraries that are already loaded are skipped. A library that fails leaves the registry as it
/// was and throws a plugin error; libraries loaded before it stay loaded.
void load_plugins(const std::vector<fs::path>& paths);

/// In loading order.
const std::vector<LoadedPlugin>& loaded_plugins();

/// `<folder of the library>/configs` of each loaded library that has one. These folders join the search path.
std::vector<fs::path> plugin_config_dirs();

}  // namespace yatlab
