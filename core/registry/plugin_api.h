#pragma once

// A plugin library includes this header besides the interfaces it implements. In exactly one of its files it writes:
//
//     YATLAB_PLUGIN("my_kernels", "1.0")
//
// or, for a one-time setup that may fail (the function may throw):
//
//     YATLAB_PLUGIN("my_kernels", "1.0", initialise)      // void initialise();
//
// and `YATLAB_REGISTER(...)` lines in any number of files. Build it with `yatlab_add_plugin`.

#include "core/registry/registry.h"

#ifndef YATLAB_TORCH_VERSION
#if __has_include(<torch/version.h>)
#include <torch/version.h>
#define YATLAB_TORCH_VERSION TORCH_VERSION
#else
#error "A Yatlab plugin needs LibTorch's headers: link Yatlab::core, or use yatlab_add_plugin()"
#endif
#endif

/// Incremented whenever a class or function that plugin libraries use changes its layout or meaning.
#define YATLAB_PLUGIN_API 10

#define YATLAB_TEXT_(x) #x
#define YATLAB_TEXT(x) YATLAB_TEXT_(x)

// Libraries of one compiler family and version share their C++ ABI. Other combinations may work but are not tested.
#if defined(__clang__)
#define YATLAB_PLUGIN_COMPILER "clang " YATLAB_TEXT(__clang_major__)
#elif defined(__GNUC__)
#define YATLAB_PLUGIN_COMPILER "gcc " YATLAB_TEXT(__GNUC__)
#else
#define YATLAB_PLUGIN_COMPILER "unknown"
#endif
#define YATLAB_PLUGIN_CXXABI YATLAB_TEXT(__GXX_ABI_VERSION)
#define YATLAB_PLUGIN_CXX11_STRING YATLAB_TEXT(_GLIBCXX_USE_CXX11_ABI)
#define YATLAB_PLUGIN_STANDARD YATLAB_TEXT(__cplusplus)

/// The lines that describe how a library was built; name and version come before them.
#define YATLAB_MANIFEST(name, version) \
  "api=" YATLAB_TEXT(YATLAB_PLUGIN_API) "\n"                                        \
  "name=" name "\n"                                                                 \
  "version=" version "\n"                                                           \
  "compiler=" YATLAB_PLUGIN_COMPILER "\n"                                           \
  "cxxabi=" YATLAB_PLUGIN_CXXABI "\n"                                               \
  "cxx11_string=" YATLAB_PLUGIN_CXX11_STRING "\n"                                   \
  "standard=" YATLAB_PLUGIN_STANDARD "\n"                                           \
  "torch=" YATLAB_TORCH_VERSION "\n"

namespace yatlab::detail {
inline void initialise_plugin(const char*) {}
template <class F>
void initialise_plugin(const char*, F&& initialise) {
  initialise();
}
}  // namespace yatlab::detail

#define YATLAB_FIRST_(first, ...) first

/// Makes a library a Yatlab plugin: `YATLAB_PLUGIN(name, version[, initialiser])`; name and version are
/// string literals. The manifest is in an ELF section of its own, so it can be read without running
/// any code of the library.
#define YATLAB_PLUGIN(name, ...)                                                                                                     \
  extern "C" __attribute__((used, visibility("default"), section(".yatlab_plugin"))) const char yatlab_plugin_manifest[] =           \
      YATLAB_MANIFEST(name, YATLAB_FIRST_(__VA_ARGS__, ""));                                                                         \
  extern "C" __attribute__((visibility("default"))) void yatlab_plugin_entry() { ::yatlab::detail::initialise_plugin(__VA_ARGS__); } \
  static_assert(true, "takes the semicolon after the macro")
