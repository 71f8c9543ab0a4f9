// A short run of tests/soak.sh, so that it works on the day when it is needed.

#include <fstream>

#include "catch.h"
#include "core/base/process.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab::testing {
namespace {

const fs::path kProgram = fs::path(YATLAB_BINARY_DIR) / "bin/yatlab";

ProcessResult soak(const fs::path& program, const std::string& setting, const std::string& kills) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "tmp");
  const auto out = run_process({"bash", "-c",
                                "YATLAB='" + program.string() + "' TMPDIR='" + (folder.path() / "tmp").string() + "' " + setting + " '" +
                                    (fs::path(YATLAB_SOURCE_DIR) / "tests/soak.sh").string() + "' " + kills},
                               folder.path());
  CHECK(fs::is_empty(folder.path() / "tmp"));  // it cleans up
  return out;
}

}  // namespace

TEST_CASE("a short soak test finds no difference after kills of every kind of run", "[docs][soak][slow]") {
  const auto result = soak(kProgram, "", "15");
  INFO(result.output);
  CHECK(result.status == 0);
  CHECK_FALSE(holds(result.output, "differs"));
  for (const auto* kind : {"images", "text", "search", "study", "claims"}) CHECK(holds(result.output, std::string("\n") + kind + " "));
  CHECK(holds(result.output, "\nall "));
  CHECK(holds(result.output, "soak: 15 kills in "));
}

TEST_CASE("the soak test notices irreproducible results and rejects wrong arguments", "[docs][soak]") {
  const TemporaryFolder folder;
  const fs::path unsteady = folder.path() / "unsteady";
  std::ofstream(unsteady) << "#!/usr/bin/env bash\nexec '" << kProgram.string() << "' \"$@\" \"seeds=[$RANDOM]\"\n";
  fs::permissions(unsteady, fs::perms::owner_all);
  const auto result = soak(unsteady, "SOAK_KINDS=study", "2");
  INFO(result.output);
  CHECK(result.status == 1);
  CHECK(holds(result.output, "'study' with local:1 differs after"));
  CHECK(soak(folder.path() / "none", "", "2").status == 2);
  CHECK(soak(kProgram, "", "many").status == 2);
  CHECK(soak(kProgram, "SOAK_KINDS=dance", "2").status == 2);
  CHECK(soak("/bin/false", "SOAK_KINDS=study", "2").status == 2);
}

}  // namespace yatlab::testing
