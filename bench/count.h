#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace yatlab {

/// What a program takes from its command line where that is one number, `what`, or nothing: at least 1. Anything else ends the program with
/// how it is called.
inline std::int64_t count_of(int argc, char** argv, const char* what, std::int64_t otherwise) {
  if (argc == 1) return otherwise;
  char* end = nullptr;
  const long long given = std::strtoll(argv[1], &end, 10);
  if (argc == 2 && end != argv[1] && *end == 0 && given > 0) return given;
  const bool help = std::strcmp(argv[1], "--help") == 0;
  std::fprintf(help ? stdout : stderr, "usage: %s [%s]  (%s: a number above 0; %lld)\n", argv[0], what, what,
               static_cast<long long>(otherwise));
  std::exit(help ? 0 : 2);
}

}  // namespace yatlab
