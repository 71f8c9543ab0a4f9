#include "plugins/extreme/datasets/xc_cache.h"

#include <cstring>
#include <string>
#include <vector>

#include "catch.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "temporary_folder.h"

namespace yatlab {

TEST_CASE("a cached XC file has the documented layout", "[xc]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "two.txt";
  write_file_atomic(path, "2 3 2\n1 0:0.5 2:1\n0,1 1:2\n");
  read_xc_cached(path, folder.path() / "kept");
  const std::string bytes = read_file(xc_cache_path(folder.path() / "kept", sha256(read_file(path))));
  const auto number = [&](std::size_t at) {
    std::int64_t out = 0;
    std::memcpy(&out, bytes.data() + at, sizeof out);
    return out;
  };
  CHECK(bytes.substr(0, 8) == "YATLABXC");
  const auto numbers = [&](std::size_t at, std::size_t count) {
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(number(at + 8 * i));
    return out;
  };
  CHECK(numbers(80, 5) == std::vector<std::int64_t>{2, 3, 2, 3, 3});
  // Sections of 24, 24, 12, 24 and 24 bytes, each at the next multiple of 64.
  CHECK(numbers(192, 3) == std::vector<std::int64_t>{0, 2, 3});
  CHECK(numbers(256, 3) == std::vector<std::int64_t>{0, 2, 1});
  float values[3];
  std::memcpy(values, bytes.data() + 320, sizeof values);
  CHECK(values[0] == 0.5F);
  CHECK(values[2] == 2.0F);
  CHECK(numbers(384, 3) == std::vector<std::int64_t>{0, 1, 3});
  CHECK(numbers(448, 3) == std::vector<std::int64_t>{1, 0, 1});
  CHECK(bytes.size() == 472);
}

}  // namespace yatlab
