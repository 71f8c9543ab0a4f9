// What the live page costs (docs/measurements/serve.md), on made-up results. docs/performance.md says how to run it.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bench/serve_folder.h"

namespace {

using namespace yatlab;
using namespace yatlab::testing;

int usage(int status) {
  fmt::print(status == 0 ? stdout : stderr, "usage: bench_serve --write FOLDER runs|large|curves\n");
  return status;
}

int write(const fs::path& folder, const std::string& what) {
  if (what != "runs" && what != "large" && what != "curves") return usage(2);
  if (what == "runs") write_many_runs(folder);
  if (what == "large") write_large_run(folder);
  if (what == "curves") write_curves(folder);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--help") return usage(0);
  if (words.size() == 3 && words[0] == "--write") return write(words[1], words[2]);
  return usage(2);
}
