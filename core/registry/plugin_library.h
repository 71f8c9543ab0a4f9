#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// How a plugin library was built, as it says itself (see plugin_api.h).
struct PluginManifest {
  std::string name, version;  ///< the plugin's own; empty for the host
  std::string api;            ///< YATLAB_PLUGIN_API
  std::string compiler;       ///< "gcc 12"
  std::string cxxabi;         ///< __GXX_ABI_VERSION
  std::string cxx11_string;   ///< _GLIBCXX_USE_CXX11_ABI
  std::string standard;       ///< __cplusplus: "201703L"
  std::string torch;          ///< "1.13.0"
};

/// What a library must match to be loaded here.
const PluginManifest& host_manifest();

/// A library that is loaded. Libraries stay loaded until the process ends.
struct LoadedPlugin {
  std::string name, version;
  fs::path path;                        ///< canonical
  std::string sha256;                   ///< of the file; goes into a run's environment.json
  std::vector<std::string> components;  ///< "operator/rational", in alphabetical order
};

/// Reads the manifest out of an ELF file's bytes, running nothing. Throws a plugin error when the
/// file is not a shared library of this machine's kind, or no Yatlab plugin, or is damaged. `path` is
/// for messages only.
PluginManifest read_manifest(std::string_view bytes, const fs::path& path);

/// Throws a plugin error that says which part of `manifest` differs from the host's.
void check_manifest(const PluginManifest& manifest, const fs::path& path);

/// Loads each path: a library, or a folder, of which every `*.so` is loaded in alphabetical order.
/// A library that is already loaded is left alone. A library that fails leaves the registry as it
/// was, and throws a plugin error; those before it stay.
void load_plugins(const std::vector<fs::path>& paths);

/// In order of loading.
const std::vector<LoadedPlugin>& loaded_plugins();

/// `<folder of the library>/configs` of each loaded library that has one: goes on the search path.
std::vector<fs::path> plugin_config_dirs();

}  // namespace yatlab
