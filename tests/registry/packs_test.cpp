#include "core/registry/packs.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "catch.h"
#include "core/base/error.h"
#include "registry/probe.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

/// A folder of packs with an index, deleted with the object.
class PackFolder {
 public:
  explicit PackFolder(const std::vector<PackedComponent>& index) : index_(index) {
    set_pack_index(index_.data(), index_.data() + index_.size(), folder_.path());
    unsetenv("YATLAB_RUN");
  }
  ~PackFolder() {
    set_pack_index(nullptr, nullptr, {});
    unsetenv("YATLAB_RUN");
  }
  PackFolder(const PackFolder&) = delete;
  PackFolder& operator=(const PackFolder&) = delete;
  fs::path path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  std::vector<PackedComponent> index_;
};

PackedComponent packed(const char* pack, const char* name, const char* aliases = "", const char* parameters = "") {
  return {pack, "probe", "a kind for tests", name, aliases, "from a pack", "plugins/p/probes/p.cpp", parameters};
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    CHECK(e.exit_code() == 2);
    return e.what();
  }
  return "no error";
}

TEST_CASE("components of an unloaded pack are listed and wrong names are still errors", "[packs]") {
  const PackFolder folder({packed("absent", "far_away", "distant remote", "size")});
  const auto& table = Registry<Probe>::table();
  const auto all = table.listed();
  const auto there = std::find_if(all.begin(), all.end(), [](const auto& c) { return c.name == "far_away"; });
  REQUIRE(there != all.end());
  CHECK(there->doc == "from a pack");
  CHECK(there->aliases == std::vector<std::string>{"distant", "remote"});
  CHECK(error_of([&] { table.at("far_awya"); }).find("did you mean 'far_away'?") != std::string::npos);
  CHECK(table.find("nothing of the kind") == nullptr);
  CHECK(table.find("") == nullptr);
}

TEST_CASE("a component of an unbuilt pack reports the build command", "[packs]") {
  const PackFolder folder({packed("absent", "far_away", "distant", "size depth")});
  const auto& table = Registry<Probe>::table();
  const auto expected = "the pack 'absent' is not built\n  at: " + (folder.path() / "absent.so").string() +
                        "\n  why: commands started with ./run.sh build it when it is needed\n  try: ./run.sh build absent";
  CHECK(error_of([&] { table.find("far_away"); }) == expected);
  CHECK(error_of([&] { table.find("distant"); }) == expected);
  CHECK(error_of([&] { table.load_those_with("depth"); }) == expected);
  CHECK(error_of([&] { table.load_those_with("dept"); }) == "no error");
  table.load_built();
}

TEST_CASE("a plugin cannot register a component name of a pack", "[packs]") {
  const PackFolder folder({packed("absent", "far_away")});
  Component mine;
  mine.kind = "probe";
  mine.name = "far_away";
  mine.origin = "mine.so";
  CHECK(error_of([&] { Registry<Probe>::table().add(mine); }).find("already registered by plugins/p/probes/p.cpp") != std::string::npos);
}

TEST_CASE("a pack is built on first use, loaded once and part of the program", "[packs]") {
  auto entry = packed("made", "from_pack", "packed");
  entry.source = YATLAB_SOURCE_DIR "/tests/registry/broken/pack.cpp";
  const PackFolder folder({entry});
  const auto script = folder.path() / "run.sh";
  write_file_unsynced(script, "#!/bin/sh\n[ \"$1 $2\" = 'build made' ] && cp '" YATLAB_TEST_PLUGINS "/packs/pack.so' '" +
                                  folder.path().string() + "/made.so' && echo built >>'" + folder.path().string() + "/log'\n");
  fs::permissions(script, fs::perms::owner_all);
  setenv("YATLAB_RUN", script.c_str(), 1);
  const auto* component = Registry<Probe>::table().find("packed");
  REQUIRE(component);
  CHECK(component->name == "from_pack");
  CHECK(component->library.empty());
  CHECK(Registry<Probe>::create("from_pack")->answer() == 42);
  load_pack("made");
  CHECK(read_file(folder.path() / "log") == "built\n");
  // Later failures remove nothing of it.
  const RegistrySnapshot before;
  before.restore();
  CHECK(Registry<Probe>::table().find("from_pack"));
}

TEST_CASE("a failed build of a pack is reported as the reason", "[packs]") {
  const PackFolder folder({packed("absent", "far_away")});
  setenv("YATLAB_RUN", "/bin/false", 1);
  CHECK(error_of([&] { Registry<Probe>::table().find("far_away"); }).find("why: '/bin/false build absent' failed") != std::string::npos);
}

}  // namespace
}  // namespace yatlab
