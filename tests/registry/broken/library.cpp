// One plugin library per kind of fault, selected by the macro FAULT_<name>; FAULT_NONE has none.
// Whatever its fault, a library reports in YATLAB_TEST_RAN that its code has run.

#include <cstdlib>
#include <stdexcept>

#include "core/base/error.h"
#include "core/registry/plugin_api.h"
#include "registry/probe.h"

namespace yatlab {
namespace {

const int kRan = setenv("YATLAB_TEST_RAN", FAULT_NAME, 1);

class Answer final : public Probe {
 public:
  struct Params {
    std::int64_t value = 42;
    static void declare(Fields& f, Params& p) {
      f.field("value", p.value, "what it answers").min(0);
#ifdef FAULT_DECLARATION
      throw std::runtime_error("no such constant");
#endif
    }
  };
  explicit Answer(const Params& p) : p_(p) {}
  std::int64_t answer() const override { return p_.value; }

 private:
  Params p_;
};

// Registered before the failing part: it must be removed again afterwards.
YATLAB_REGISTER(Probe, Answer, "answer_" FAULT_NAME, "answers", {"alias_" FAULT_NAME});

#ifdef FAULT_DUPLICATE
YATLAB_REGISTER(Probe, Answer, "of_the_host", "a name that the host has taken");
#endif
#ifdef FAULT_DUPLICATE_WITHIN
YATLAB_REGISTER(Probe, Answer, "answer_" FAULT_NAME, "a name that it has taken itself");
#endif

}  // namespace
}  // namespace yatlab

#ifdef FAULT_API
#undef YATLAB_PLUGIN_API
#define YATLAB_PLUGIN_API 99
#endif
#ifdef FAULT_COMPILER
#undef YATLAB_PLUGIN_COMPILER
#define YATLAB_PLUGIN_COMPILER "tcc 1"
#endif
#ifdef FAULT_CXXABI
#undef YATLAB_PLUGIN_CXXABI
#define YATLAB_PLUGIN_CXXABI "1"
#endif
#ifdef FAULT_CXX11_STRING
#undef YATLAB_PLUGIN_CXX11_STRING
#define YATLAB_PLUGIN_CXX11_STRING "7"
#endif
#ifdef FAULT_STANDARD
#undef YATLAB_PLUGIN_STANDARD
#define YATLAB_PLUGIN_STANDARD "199711L"
#endif
#ifdef FAULT_TORCH
#undef YATLAB_TORCH_VERSION
#define YATLAB_TORCH_VERSION "0.4.1"
#endif
#ifdef FAULT_NO_EQUALS
#undef YATLAB_MANIFEST
#define YATLAB_MANIFEST(name, version) "api=" YATLAB_TEXT(YATLAB_PLUGIN_API) "\nname " name "\n"
#endif
#ifdef FAULT_INCOMPLETE
#undef YATLAB_MANIFEST
#define YATLAB_MANIFEST(name, version) "api=" YATLAB_TEXT(YATLAB_PLUGIN_API) "\nname=" name "\nversion=" version "\n"
#endif

#ifdef FAULT_UNDEFINED_SYMBOL
namespace yatlab {
int defined_nowhere(const char*);
extern "C" __attribute__((visibility("default"))) int calls_it() { return defined_nowhere(""); }
}  // namespace yatlab
#endif
#ifdef FAULT_MISSING_LIBRARY
extern "C" int from_another_library();
extern "C" __attribute__((visibility("default"))) int calls_it() { return from_another_library(); }
#endif

#if defined(FAULT_THROWS)
static void initialise() { throw std::runtime_error("no licence found"); }
YATLAB_PLUGIN(FAULT_NAME, "1.0", initialise);
#elif defined(FAULT_THROWS_INT)
YATLAB_PLUGIN(FAULT_NAME, "1.0", [] { throw 7; });
#elif defined(FAULT_NO_ENTRY)
extern "C" __attribute__((used, section(".yatlab_plugin"))) const char yatlab_plugin_manifest[] = YATLAB_MANIFEST(FAULT_NAME, "1.0");
#elif defined(FAULT_NONE)
static void initialise() {
  yatlab::Component component;
  component.kind = "probe";
  component.name = "added_by_hand";
  component.doc = "added by the initialiser";
  component.origin = "the initialiser";
  yatlab::component_table("probe").add(std::move(component));
}
YATLAB_PLUGIN(FAULT_NAME, "1.0", initialise);
#elif !defined(FAULT_NO_MANIFEST)
YATLAB_PLUGIN(FAULT_NAME, "1.0");
#endif
