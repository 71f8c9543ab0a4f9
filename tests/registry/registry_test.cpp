#include "core/registry/registry.h"

#include <cstdlib>
#include <stdexcept>

#include "catch.h"
#include "core/base/error.h"
#include "helpers.h"
#include "registry/probe.h"

namespace yatlab {
namespace {

using testing::error_of;

class Doubled final : public Probe {
 public:
  struct Params {
    std::int64_t value = 1;
    static void declare(Fields& f, Params& p) { f.field("value", p.value, "what is doubled").min(0); }
  };
  explicit Doubled(const Params& p) : p_(p) {}
  std::int64_t answer() const override { return 2 * p_.value; }

 private:
  Params p_;
};

class Seven final : public Probe {
 public:
  std::int64_t answer() const override { return 7; }
};

YATLAB_REGISTER(Probe, Doubled, "doubled", "twice its parameter", {"ⵟ", "twice"});
YATLAB_REGISTER(Probe, Seven, "seven", "always seven");

Component named(const std::string& name, const std::string& origin, std::vector<std::string> aliases = {}) {
  Component c;
  c.kind = "gadget";
  c.name = name;
  c.aliases = std::move(aliases);
  c.origin = origin;
  return c;
}

Node spec_of(const char* name, std::int64_t value) {
  Node spec = Node::map();
  spec.set("name", name);
  spec.set("value", value);
  return spec;
}

}  // namespace

TEST_CASE("a macro registers a component with all its information", "[registry]") {
  const auto& c = Registry<Probe>::table().at("doubled");
  CHECK(c.kind == "probe");
  CHECK(c.doc == "twice its parameter");
  CHECK(c.aliases == std::vector<std::string>{"ⵟ", "twice"});
  CHECK_THAT(c.origin, Catch::Matchers::Matches(".*registry_test\\.cpp:[0-9]+"));
  REQUIRE(c.schema.find("value"));
  CHECK(c.schema.find("value")->type_text() == "integer >= 0");
  CHECK(Registry<Probe>::table().doc() == "a thing to test the registry with");
}

TEST_CASE("components are built from a map, a bare name or an alias", "[registry]") {
  CHECK(Registry<Probe>::create(spec_of("doubled", 21))->answer() == 42);
  CHECK(Registry<Probe>::create("doubled")->answer() == 2);
  CHECK(Registry<Probe>::create("ⵟ")->answer() == 2);
  CHECK(Registry<Probe>::create(spec_of("twice", 4))->answer() == 8);
  CHECK(Registry<Probe>::create("seven")->answer() == 7);  // no Params at all
  CHECK(Registry<Probe>::create(ComponentRef("seven"))->answer() == 7);
}

TEST_CASE("building a component checks its parameters", "[registry]") {
  CHECK(error_of([] { Registry<Probe>::create(spec_of("doubled", -1)); }) ==
        "'probe.value' is -1, but must be >= 0\n  why: what is doubled");
  CHECK(error_of([] { Registry<Probe>::create(spec_of("seven", 1)); }) == "unknown key 'probe.value'\n  why: it takes no parameters");
}

TEST_CASE("an unknown name is answered with the nearest", "[registry]") {
  Node spec("dubled");
  spec.set_origin({"experiments/x.yaml", 3, 7, {}});
  CHECK(error_of([&] { Registry<Probe>::create(spec); }) ==
        "unknown probe 'dubled'\n  at: experiments/x.yaml:3:7\n"
        "  try: did you mean 'doubled'? ('yatlab list probe' shows all)");
  ComponentTable table("gadget");
  CHECK(error_of([&] { table.at("x"); }) == "unknown gadget 'x'\n  why: no gadget is registered\n  try: check the kind's name");
  table.add(named("left", "a.cpp:1"));
  table.add(named("right", "a.cpp:2"));
  CHECK(error_of([&] { table.at("zzzzzzzz", "here"); }) ==
        "unknown gadget 'zzzzzzzz'\n  at: here\n  try: choices: left, right ('yatlab list gadget' shows all)");
}

TEST_CASE("a name or alias is registered once and an error gives both origins", "[registry]") {
  ComponentTable table("gadget");
  table.add(named("a", "plugins/gadgets/a.cpp:10", {"first"}));
  CHECK(error_of([&] { table.add(named("a", "libmine.so (a.cpp:3)")); }) ==
        "gadget 'a' is registered twice\n  at: libmine.so (a.cpp:3)\n  why: already registered by plugins/gadgets/a.cpp:10\n  try: give "
        "one of them a different name");
  CHECK(error_of([&] { table.add(named("first", "b.cpp:1")); }) ==
        "gadget 'first' is registered twice\n  at: b.cpp:1\n  why: already registered by plugins/gadgets/a.cpp:10\n  try: give one of them "
        "a different name");
  CHECK(error_of([&] { table.add(named("b", "b.cpp:1", {"a"})); }) ==
        "gadget 'a' is registered twice\n  at: b.cpp:1\n  why: already registered by plugins/gadgets/a.cpp:10\n  try: give one of them a "
        "different name");
  CHECK(error_of([&] {
          table.add(named("c", "c.cpp:1", {"d", "c"}));
        }) == "gadget 'c' has the same name twice\n  at: c.cpp:1\n  why: 'c' is repeated among its aliases\n  try: remove the alias");
  CHECK(table.names() == std::vector<std::string>{"a"});
}

TEST_CASE("invalid names are rejected", "[registry]") {
  ComponentTable table("gadget");
  for (const char* name : {"", "a b", "a/b", "a=b", "a\n", "{a}"}) {
    CHECK(error_of([&] { table.add(named(name, "x.cpp:1")); }) ==
          "'" + std::string(name) +
              "' is not a valid gadget name\n  at: x.cpp:1\n  why: names can contain letters, digits, '_', '-', '.' and ':'\n  try: rename "
              "the component");
  }
  for (const char* name : {"a", "A-1", "ns:a.b_c", "ⵟ", "7"}) CHECK_NOTHROW(table.add(named(name, "y.cpp:1")));
  CHECK(table.all().size() == 5);
}

TEST_CASE("tables are sorted by name", "[registry]") {
  ComponentTable table("gadget");
  for (const char* name : {"m", "z", "a", "k"}) table.add(named(name, "x.cpp:1"));
  CHECK(table.names() == std::vector<std::string>{"a", "k", "m", "z"});
}

TEST_CASE("kinds appear with their first component", "[registry]") {
  CHECK(find_component_table("never_declared") == nullptr);
  const auto kinds = component_kinds();
  CHECK(std::find(kinds.begin(), kinds.end(), "probe") != kinds.end());
}

TEST_CASE("a duplicate built-in component is an error instead of a crash before main", "[registry]") {
  const RegistrySnapshot before;
  // Like the static initialisers of two files.
  detail::register_component<Probe, Seven>("plugins/probes/first.cpp", 5, "built_in", "first");
  detail::register_component<Probe, Seven>("plugins/probes/second.cpp", 6, "built_in", "second");
  detail::register_component<Probe, Seven>("plugins/probes/third.cpp", 7, "another", "third");
  CHECK(error_of([] { register_components(); }) ==
        "probe 'built_in' is registered twice\n  at: plugins/probes/second.cpp:6\n  why: already registered by "
        "plugins/probes/first.cpp:5\n  try: give one of them a different name");
  // The others exist, and the error is reported once.
  CHECK(Registry<Probe>::create("another")->answer() == 7);
  CHECK(Registry<Probe>::table().at("built_in").doc == "first");
  CHECK(before.added() == std::vector<std::string>{"probe/another", "probe/built_in"});
  before.restore();
  CHECK(Registry<Probe>::table().find("another") == nullptr);
}

TEST_CASE("origins are paths below plugins/ independent of the build folder", "[registry]") {
  const RegistrySnapshot before;
  detail::register_component<Probe, Seven>("/somewhere/build/plugins/probes/x.cpp", 12, "p1", "");
  CHECK(Registry<Probe>::table().at("p1").origin == "plugins/probes/x.cpp:12");
  set_registration_origin("/opt/libmine.so");
  detail::register_component<Probe, Seven>("/somewhere/mine/x.cpp", 13, "p2", "");
  set_registration_origin({});
  CHECK(Registry<Probe>::table().at("p2").origin == "/opt/libmine.so (x.cpp:13)");
  before.restore();
}

namespace {
class Undeclarable final : public Probe {
 public:
  struct Params {
    static void declare(Fields&, Params&) { throw std::runtime_error("cannot say"); }
  };
  explicit Undeclarable(const Params&) {}
  std::int64_t answer() const override { return 0; }
};
}  // namespace

TEST_CASE("a declaration that throws is reported with its component", "[registry]") {
  const RegistrySnapshot before;
  detail::register_component<Probe, Undeclarable>("plugins/probes/u.cpp", 1, "undeclarable", "");
  CHECK(error_of([] { register_components(); }) ==
        "probe 'undeclarable' cannot be registered\n  at: plugins/probes/u.cpp:1\n"
        "  why: its declaration of parameters throws: cannot say");
  CHECK(before.added().empty());
}

TEST_CASE("restoring a snapshot removes new kinds and keeps references valid", "[registry]") {
  auto& table = Registry<Probe>::table();
  const auto names = table.names();
  const RegistrySnapshot before;
  component_table("short_lived").add(named("x", "x.cpp:1"));
  detail::register_component<Probe, Seven>("x.cpp", 1, "waiting", "");
  before.restore();
  CHECK(find_component_table("short_lived") == nullptr);
  CHECK(table.names() == names);
  CHECK(&table == &Registry<Probe>::table());
}

}  // namespace yatlab
