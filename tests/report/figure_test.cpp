#include "catch.h"
#include "core/report/report.h"
#include "fake_figures.h"
using namespace yatlab;
using namespace yatlab::testing;
TEST_CASE("demo") {
  fs::path root = "/tmp/b-report/demo";
  fs::remove_all(root);
  mnist_run_with_artifacts().write(root / "a");
  sweep_run().write(root / "b");
  for (auto d : {"a", "b"}) { const auto r = write_report(root / d); printf("%s\n", r.text.c_str()); }
}
