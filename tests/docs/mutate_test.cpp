// The parts of tests/mutate.sh that build nothing: its choice of faults, and its report of results. docs/testing.md shows a run.

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "core/base/process.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab::testing {
namespace {

ProcessResult mutate(const TemporaryFolder& folder, const std::string& arguments) {
  const std::string script = (fs::path(YATLAB_SOURCE_DIR) / "tests/mutate.sh").string();
  return run_process({"bash", "-c", "MUTATE_DIR='" + (folder.path() / "place").string() + "' '" + script + "' " + arguments},
                     folder.path());
}

}  // namespace

TEST_CASE("mutate.sh lists faults but none in comments, texts, templates or errors", "[docs][mutate]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "tiny.cpp";
  std::ofstream(file) << "#include <array>  // 1 + 1\n"
                         "/* a < b */\n"
                         "double f(const std::array<double, 3>& a, int n) {\n"
                         "  if (n < 1 || !n) throw Error(kInternal, format(\"{} < 1\", n + 1));\n"
                         "  double sum = -a[0];\n"
                         "  if (sum == 0.5) return 0;\n"
                         "  sum += std::exp(a[1]) * 2e-3;\n"
                         "  return keep(sum, true);\n"
                         "}\n";
  const auto listed = mutate(folder, "--list '" + file.string() + "'");
  CHECK(listed.status == 0);
  std::vector<std::string> faults;
  std::istringstream lines(listed.output);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.rfind(file.string() + ":", 0) == 0);
    line.erase(0, file.string().size() + 1);
    std::replace(line.begin(), line.end(), '\t', '~');
    faults.push_back(line.substr(0, line.rfind('~')));
  }
  CHECK(faults == std::vector<std::string>{"4:bound~<~<=", "4:constant~1~2", "4:constant.2~1~0", "4:logic~||~&&", "4:logic.2~!~",
                                           "5:minus~-~", "5:constant~0~1", "6:logic~==~!=", "6:constant~0.5~(2 * 0.5)", "6:drop~return 0~",
                                           "6:constant.2~0~1", "7:drop~sum += std::exp(a[1]) * 2e-3~",
                                           "7:operator~+=~-=", "7:function~exp~log", "7:constant~1~2", "7:constant.2~1~0",
                                           "7:operator.2~*~/", "7:constant.3~2e-3~(2 * 2e-3)", "8:bool~true~false"});

  // The same seed chooses the same faults, another seed others.
  const auto chosen = [&](const std::string& seed) {
    return mutate(folder, "--list --count 6 --seed " + seed + " '" + file.string() + "'").output;
  };
  const std::string first = chosen("1");
  CHECK(std::count(first.begin(), first.end(), '\n') == 6);
  CHECK(first == chosen("1"));
  CHECK(first != chosen("2"));

  const auto only = mutate(folder, "--list --only '" + file.string() + ":7:operator.2'");
  CHECK(only.output == file.string() + ":7:operator.2\t*\t/\tsum += std::exp(a[1]) * 2e-3;\n");
  CHECK(mutate(folder, "--list --only '" + file.string() + ":3:bound'").status == 2);
  CHECK(mutate(folder, "--list no/such.cpp").status == 2);
  CHECK(mutate(folder, "--count many").status == 2);
}

TEST_CASE("mutate.sh summarises results and requires 95 % of faults to be noticed", "[docs][mutate]") {
  const TemporaryFolder folder;
  CHECK(mutate(folder, "--summary").status == 2);
  fs::create_directories(folder.path() / "place");
  const auto results = folder.path() / "place/results.tsv";
  const auto row = [](int line, const std::string& verdict) {
    return "core/ops/a.cpp:" + std::to_string(line) + ":drop\tx += y\t\tx += y;\t" + verdict + "\t\t3\n";
  };
  std::ofstream out(results);
  for (int i = 1; i <= 19; ++i) out << row(i, "noticed");
  out << row(20, "survived") << row(21, "not compiled") << std::flush;
  const auto enough = mutate(folder, "--summary");
  CHECK(enough.status == 0);
  CHECK(holds(enough.output, "core/ops           20       19           0          1    95.0 %             1\n"));
  CHECK(holds(enough.output, "survived: core/ops/a.cpp:20:drop  x += y -> nothing   x += y;\n"));
  out << row(22, "survived") << std::flush;
  CHECK(mutate(folder, "--summary").status == 1);
  // A fault that is known to change nothing is not a survivor, even if its line has moved.
  std::ofstream(results) << "core/ops/masking.cpp:1:bound\t>=\t>\tif (power >= 1) return u.pow(power);\tsurvived\t\t9\n"
                         << row(3, "noticed");
  const auto known = mutate(folder, "--summary");
  CHECK(known.status == 0);
  CHECK(holds(known.output, "core/ops            2        1           1          0   100.0 %             0\n"));
}

}  // namespace yatlab::testing
