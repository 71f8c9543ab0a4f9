#include "core/registry/plugin_library.h"

#include <algorithm>
#include <cstdlib>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "registry/plugin_api_version.h"
#include "registry/probe.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

class OfTheHost final : public Probe {
 public:
  std::int64_t answer() const override { return 0; }
};
YATLAB_REGISTER(Probe, OfTheHost, "of_the_host", "what broken libraries collide with");

fs::path library(const std::string& fault) { return fs::canonical(fs::path(YATLAB_TEST_PLUGINS) / (fault + ".so")); }

std::vector<std::string> all_components() {
  std::vector<std::string> out;
  for (const auto& kind : component_kinds()) {
    for (const auto& name : component_table(kind).names()) out.push_back(kind + "/" + name);
  }
  return out;
}

// Loads `path`, expects it to fail with exit code 2 and to leave the registry unchanged; returns the message.
// `ran`: whether any of the library's code was run before that.
std::string failure(const fs::path& path, bool ran) {
  const auto before = all_components();
  const auto loaded = loaded_plugins().size();
  unsetenv("YATLAB_TEST_RAN");
  std::string message = "no error";
  try {
    load_plugins({path});
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kPlugin);
    CHECK(e.exit_code() == 2);
    message = e.what();
  }
  CHECK((std::getenv("YATLAB_TEST_RAN") != nullptr) == ran);
  CHECK(all_components() == before);
  CHECK(loaded_plugins().size() == loaded);
  return message;
}

const std::string kRebuild = "\n  try: rebuild it against this Yatlab: find_package(Yatlab) and yatlab_add_plugin() in its CMakeLists.txt";

// The message about the library with that fault: what, place, why, what to do.
std::string message(const std::string& fault, const std::string& what, const std::string& why, const std::string& hint = {}) {
  return what + "\n  at: " + library(fault).string() + "\n  why: " + why + (hint.empty() ? "" : "\n  try: " + hint);
}

std::string copy_of(const std::string& fault, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy_file(library(fault), to);
  return to.string();
}

}  // namespace

TEST_CASE("each manifest mismatch is reported before the library's code runs", "[plugin]") {
  const auto& host = host_manifest();
  const auto differs = [&](const std::string& fault, const std::string& how, const std::string& theirs, const std::string& ours) {
    return message(fault, "plugin '" + fault + "' was built " + how, "the plugin has " + theirs + ", but this program has " + ours) +
           kRebuild;
  };
  CHECK(failure(library("api"), false) == message("api", "plugin 'api' was built for a different plugin API",
                                                  "the plugin has API 99, but this program has API " YATLAB_TEST_PLUGIN_API,
                                                  "use a version of the plugin made for this Yatlab, or port and rebuild it"));
  CHECK(failure(library("compiler"), false) == differs("compiler", "with a different compiler", "tcc 1", host.compiler));
  CHECK(failure(library("cxxabi"), false) == differs("cxxabi", "for a different C++ ABI", "ABI version 1", "ABI version " + host.cxxabi));
  CHECK(failure(library("cxx11_string"), false) == differs("cxx11_string", "with a different std::string layout",
                                                           "_GLIBCXX_USE_CXX11_ABI=7", "_GLIBCXX_USE_CXX11_ABI=" + host.cxx11_string));
  CHECK(failure(library("standard"), false) ==
        differs("standard", "for a different C++ standard", "__cplusplus 199711L", "__cplusplus " + host.standard));
  CHECK(failure(library("torch"), false) == differs("torch", "against a different LibTorch", "LibTorch 0.4.1", "LibTorch " + host.torch));
}

TEST_CASE("a library without a valid manifest is not run", "[plugin]") {
  CHECK(failure(library("no_manifest"), false) == message("no_manifest", "'no_manifest.so' is not a Yatlab plugin",
                                                          "it contains no manifest",
                                                          "write YATLAB_PLUGIN(\"name\", \"version\") in one of its files"));
  CHECK(failure(library("no_equals"), false) == message("no_equals", "'no_equals.so' has a malformed manifest",
                                                        "'name no_equals' is not of the form key=value",
                                                        "let YATLAB_PLUGIN() write it, with plain one-line literals"));
  CHECK(failure(library("incomplete"), false) == message("incomplete", "'incomplete.so' has a malformed manifest", "it has no 'compiler'",
                                                         "let YATLAB_PLUGIN() write it, with plain one-line literals"));
}

TEST_CASE("errors of the dynamic linker are explained", "[plugin]") {
  CHECK(failure(library("undefined_symbol"), false) ==
        message("undefined_symbol", "plugin library 'undefined_symbol.so' needs a symbol that does not exist",
                "neither Yatlab nor a library that it links defines 'yatlab::defined_nowhere(char const*)'",
                "link the library that defines it, or rebuild against this Yatlab"));
  CHECK(failure(library("missing_library"), false) ==
        message("missing_library", "plugin library 'missing_library.so' needs a library that is missing",
                "'libfault_other.so' is not found", "install it, or add its folder to LD_LIBRARY_PATH"));
}

TEST_CASE("a library that fails during loading leaves nothing registered", "[plugin]") {
  CHECK(failure(library("no_entry"), true) ==
        message("no_entry", "plugin library 'no_entry.so' has no entry point", "it does not export 'yatlab_plugin_entry'",
                "write YATLAB_PLUGIN(...) in one of its files, and do not hide the symbol when linking"));
  CHECK(failure(library("throws"), true) ==
        message("throws", "the initialiser of plugin 'throws' failed", "no licence found", "see the plugin's own documentation"));
  CHECK(failure(library("throws_int"), true) ==
        message("throws_int", "the initialiser of plugin 'throws_int' failed", "it threw a int", "see the plugin's own documentation"));
  const auto text = failure(library("declaration"), true);
  CHECK_THAT(text, Catch::Matchers::StartsWith("probe 'answer_declaration' cannot be registered\n  at: " + library("declaration").string() +
                                               " (library.cpp:"));
  CHECK_THAT(text, Catch::Matchers::EndsWith("throws: no such constant"));
}

TEST_CASE("an error about duplicate names gives both origins", "[plugin]") {
  const auto text = failure(library("duplicate"), true);
  CHECK_THAT(text, Catch::Matchers::StartsWith("probe 'of_the_host' is registered twice\n  at: " + library("duplicate").string() +
                                               " (library.cpp:"));
  CHECK_THAT(
      text,
      Catch::Matchers::Matches(
          "[\\s\\S]*\n  why: already registered by [^\n]*plugin_library_test\\.cpp:[0-9]+\n  try: give one of them a different name"));
  const auto within = failure(library("duplicate_within"), true);
  CHECK_THAT(within, Catch::Matchers::StartsWith("probe 'answer_duplicate_within' is registered twice"));
}

TEST_CASE("a library that failed once reports the same error again", "[plugin]") {
  const auto first = [] {
    try {
      load_plugins({library("throws")});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  }();
  CHECK(first == failure(library("throws"), false));
}

TEST_CASE("a valid library registers its components", "[plugin]") {
  const TemporaryFolder folder;
  const fs::path copy = folder.path() / "mine" / "good.so";
  copy_of("none", copy);
  fs::create_directories(copy.parent_path() / "configs" / "probe");
  unsetenv("YATLAB_TEST_RAN");
  load_plugins({copy});
  CHECK(std::string(std::getenv("YATLAB_TEST_RAN")) == "none");

  REQUIRE(loaded_plugins().size() == 1);
  const LoadedPlugin plugin = loaded_plugins().back();
  CHECK(plugin.name == "none");
  CHECK(plugin.version == "1.0");
  CHECK(plugin.path == fs::canonical(copy));
  CHECK(plugin.sha256 == sha256_file(copy));
  CHECK(plugin.components == std::vector<std::string>{"probe/added_by_hand", "probe/answer_none"});
  CHECK(plugin_config_dirs() == std::vector<fs::path>{fs::canonical(copy).parent_path() / "configs"});

  CHECK(Registry<Probe>::create("answer_none")->answer() == 42);
  CHECK(Registry<Probe>::create("alias_none")->answer() == 42);
  CHECK_THROWS_AS(Registry<Probe>::create(Node(Node::Map{{"name", "answer_none"}, {"value", -1}})), Error);
  const auto& component = Registry<Probe>::table().at("answer_none");
  CHECK_THAT(component.origin, Catch::Matchers::StartsWith(fs::canonical(copy).string() + " (library.cpp:"));

  // Loading it again, under any path, has no effect.
  const auto before = all_components();
  const fs::path link = folder.path() / "link.so";
  fs::create_symlink(copy, link);
  load_plugins({copy, copy.parent_path() / ".." / "mine" / "good.so", link});
  CHECK(loaded_plugins().size() == 1);
  CHECK(all_components() == before);

  // Another file of the same plugin is refused.
  CHECK(failure(library("none"), false) == message("none", "plugin 'none' is already loaded",
                                                   "version 1.0 came from " + plugin.path.string(),
                                                   "load only one of the two, or give one of them a different name"));
}

TEST_CASE("a folder loads all libraries in it", "[plugin]") {
  const TemporaryFolder folder;
  load_plugins({folder.path()});  // an empty path for none
  write_file_atomic(folder.path() / "notes.txt", "not a library");
  copy_of("torch", folder.path() / "b.so");
  copy_of("standard", folder.path() / "a.so");
  // In alphabetical order: a.so is the first to fail.
  CHECK_THAT(failure(folder.path(), false), Catch::Matchers::StartsWith("plugin 'standard' was built for a different C++ standard"));
  fs::remove(folder.path() / "a.so");
  CHECK_THAT(failure(folder.path(), false), Catch::Matchers::StartsWith("plugin 'torch' was built against a different LibTorch"));
}

TEST_CASE("files that are not libraries are rejected", "[plugin]") {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return fs::canonical(folder.path()) / name; };
  CHECK(failure(path("absent.so"), false) == "plugin library not found\n  at: " + path("absent.so").string() +
                                                 "\n  why: No such file or directory\n  try: check 'plugins.path' and '--plugin'");
  write_file_atomic(path("text.so"), "#!/bin/sh\necho this is not a library\n");
  CHECK(failure(path("text.so"), false) ==
        "'text.so' is not a shared library\n  at: " + path("text.so").string() +
            "\n  why: it does not begin like an ELF file\n  try: give the path of a library built with yatlab_add_plugin()");
  write_file_atomic(path("empty.so"), "");
  CHECK_THAT(failure(path("empty.so"), false), Catch::Matchers::StartsWith("'empty.so' is not a shared library"));
}

TEST_CASE("a repaired library can be loaded in the same process", "[plugin]") {
  // The dynamic linker refused it, so none of its code has run yet.
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "mended.so";
  copy_of("undefined_symbol", path);
  CHECK_THAT(failure(path, false), Catch::Matchers::StartsWith("plugin library 'mended.so' needs a symbol that does not exist"));
  fs::remove(path);
  copy_of("missing_library", path);
  CHECK_THAT(failure(path, false), Catch::Matchers::StartsWith("plugin library 'mended.so' needs a library that is missing"));
}

}  // namespace yatlab
