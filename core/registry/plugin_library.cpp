#include "core/registry/plugin_library.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <typeinfo>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/registry/plugin_api.h"

namespace yatlab {
namespace {

constexpr const char* kRebuild = "rebuild it against this Yatlab: find_package(Yatlab) and yatlab_add_plugin() in its CMakeLists.txt";

struct PluginState {
  std::mutex mutex;
  std::vector<LoadedPlugin> loaded;
  // Libraries whose code ran and failed, by canonical path: they cannot run a second time.
  std::map<fs::path, Error> failed;
};
PluginState& plugin_state() {
  static PluginState& all = *new PluginState;
  return all;
}

Error plugin_error(std::string what, const fs::path& path, std::string why, std::string hint = {}) {
  return {ErrorKind::kPlugin, std::move(what), path.string(), std::move(why), std::move(hint)};
}

std::string demangle(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : symbol;
}

// The dynamic linker's message, without the path that the error's `where` already holds.
Error link_error(const fs::path& path) {
  const char* error_text = ::dlerror();
  std::string text = error_text ? error_text : "no reason given";
  const std::string file = path.filename().string();
  if (const std::string prefix = path.string() + ": "; text.rfind(prefix, 0) == 0) {
    text.erase(0, prefix.size());
  }
  constexpr std::string_view undefined = "undefined symbol: ";
  if (const auto at = text.find(undefined); at != std::string::npos) {
    auto symbol = text.substr(at + undefined.size());
    symbol = symbol.substr(0, symbol.find_first_of(" ,\t("));
    return plugin_error(fmt::format("plugin library '{}' needs a symbol that does not exist", file), path,
                        fmt::format("neither Yatlab nor a library that it links defines '{}'", demangle(symbol)),
                        "link the library that defines it, or rebuild against this Yatlab");
  }
  constexpr std::string_view missing = ": cannot open shared object file";
  if (const auto at = text.find(missing); at != std::string::npos) {
    return plugin_error(fmt::format("plugin library '{}' needs a library that is missing", file), path,
                        fmt::format("'{}' is not found", text.substr(0, at)), "install it, or add its folder to LD_LIBRARY_PATH");
  }
  return plugin_error(fmt::format("the dynamic linker cannot load plugin library '{}'", file), path, text, kRebuild);
}

// Runs the library's entry point; any exception becomes a plugin error.
void run_entry(void (*entry)(), const PluginManifest& manifest, const fs::path& path) {
  std::string why;
  try {
    entry();
    return;
  } catch (const std::exception& e) {
    why = e.what();
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    why = fmt::format("it threw a {}", type ? demangle(type->name()) : "foreign exception");
  }
  throw plugin_error(fmt::format("the initialiser of plugin '{}' failed", manifest.name), path, why, "see the plugin's own documentation");
}

using Entry = void (*)();

Entry find_entry(void* library, const fs::path& path) {
  void* entry = ::dlsym(library, "yatlab_plugin_entry");
  if (!entry) {
    throw plugin_error(fmt::format("plugin library '{}' has no entry point", path.filename().string()), path,
                       "it does not export 'yatlab_plugin_entry'",
                       "write YATLAB_PLUGIN(...) in one of its files, and do not hide the symbol when linking");
  }
  return reinterpret_cast<Entry>(entry);
}

// While it exists, registered components get `path` as their origin.
class OriginScope {
 public:
  explicit OriginScope(const fs::path& path) { set_registration_origin(path.string()); }
  ~OriginScope() { set_registration_origin({}); }
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;
};

void load_library(const fs::path& given) {
  std::error_code ec;
  const fs::path path = fs::canonical(given, ec);
  if (ec) {
    throw plugin_error("plugin library not found", given, ec.message(), "check 'plugins.path' and '--plugin'");
  }
  auto& all = plugin_state();
  for (const auto& other : all.loaded) {
    if (other.path == path) return;
  }
  if (const auto failed = all.failed.find(path); failed != all.failed.end()) throw failed->second;

  std::string bytes;
  try {
    bytes = read_file(path);
  } catch (const Error& e) {
    throw plugin_error("plugin library cannot be read", path, e.why());
  }
  const auto manifest = read_manifest(bytes, path);
  check_manifest(manifest, path);
  for (const auto& other : all.loaded) {
    if (other.name == manifest.name) {
      throw plugin_error(fmt::format("plugin '{}' is already loaded", manifest.name), path,
                         fmt::format("version {} came from {}", other.version, other.path.string()),
                         "load only one of the two, or give one of them a different name");
    }
  }

  const RegistrySnapshot before;
  const OriginScope origin(path);
  // RTLD_NOW: a missing symbol fails now, not in the middle of a run.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw link_error(path);
  // From here on the library stays mapped even if it fails: its static initialisers have run, and
  // may have left pointers to its code anywhere.
  try {
    const Entry entry = find_entry(library, path);
    register_components();
    run_entry(entry, manifest, path);
    register_components();
    all.loaded.push_back({manifest.name, manifest.version, path, sha256(bytes), before.added()});
  } catch (const Error& e) {
    before.restore();
    all.failed.emplace(path, e);
    throw;
  }
}

}  // namespace

const PluginManifest& host_manifest() {
  static const PluginManifest host{{},
                                   {},
                                   YATLAB_TEXT(YATLAB_PLUGIN_API),
                                   YATLAB_PLUGIN_COMPILER,
                                   YATLAB_PLUGIN_CXXABI,
                                   YATLAB_PLUGIN_CXX11_STRING,
                                   YATLAB_PLUGIN_STANDARD,
                                   YATLAB_TORCH_VERSION};
  return host;
}

void check_manifest(const PluginManifest& manifest, const fs::path& path) {
  const auto& host = host_manifest();
  const auto differs = [&](const char* what, const std::string& theirs, const std::string& ours, const char* hint) {
    if (theirs == ours) return;
    throw plugin_error(fmt::format("plugin '{}' was built {}", manifest.name, what), path,
                       fmt::format("the plugin has {}, but this program has {}", theirs, ours), hint);
  };
  differs("for a different plugin API", "API " + manifest.api, "API " + host.api,
          "use a version of the plugin made for this Yatlab, or port and rebuild it");
  differs("with a different compiler", manifest.compiler, host.compiler, kRebuild);
  differs("for a different C++ ABI", "ABI version " + manifest.cxxabi, "ABI version " + host.cxxabi, kRebuild);
  differs("with a different std::string layout", "_GLIBCXX_USE_CXX11_ABI=" + manifest.cxx11_string,
          "_GLIBCXX_USE_CXX11_ABI=" + host.cxx11_string, kRebuild);
  differs("for a different C++ standard", "__cplusplus " + manifest.standard, "__cplusplus " + host.standard, kRebuild);
  differs("against a different LibTorch", "LibTorch " + manifest.torch, "LibTorch " + host.torch, kRebuild);
}

void load_plugins(const std::vector<fs::path>& paths) {
  const std::lock_guard lock(plugin_state().mutex);
  for (const auto& path : paths) {
    std::error_code ec;
    if (!fs::is_directory(path, ec)) {
      load_library(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (fs::directory_iterator it(path, ec), end; !ec && it != end; it.increment(ec)) {
      if (it->path().extension() == ".so") inside.push_back(it->path());
    }
    if (ec) throw plugin_error("folder of plugin libraries cannot be read", path, ec.message());
    std::sort(inside.begin(), inside.end());
    for (const auto& library : inside) load_library(library);
  }
}

const std::vector<LoadedPlugin>& loaded_plugins() { return plugin_state().loaded; }

std::vector<fs::path> plugin_config_dirs() {
  std::vector<fs::path> out;
  for (const auto& plugin : plugin_state().loaded) {
    const fs::path directory = plugin.path.parent_path() / "configs";
    std::error_code ec;
    if (fs::is_directory(directory, ec) && std::find(out.begin(), out.end(), directory) == out.end()) {
      out.push_back(directory);
    }
  }
  return out;
}

}  // namespace yatlab
