#include "core/record/job_history.h"

#include <cmath>
#include <fstream>
#include <limits>

#include "catch.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

std::vector<MetricRow> rows_in(const fs::path& folder) {
  std::vector<MetricRow> out;
  for_each_row(folder, [&](const MetricRow& row) { out.push_back(row); });
  return out;
}

}  // namespace

TEST_CASE("metric rows read back unchanged including inf and nan", "[history]") {
  const TemporaryFolder folder;
  const double infinity = std::numeric_limits<double>::infinity();
  const MetricRow first{0, 0, 0, {{"test/loss", 0.1}}}, second{7, 0.4375, 1792, {{"train/loss", infinity}, {"x", std::nan("")}}},
      last{16, 1, {}, {}};
  {
    std::ofstream out(folder.path() / "metrics.jsonl");
    for (const auto& row : {first, second, last}) out << to_json(row).dump() << "\n";
    out << R"({"step": 17, "epo)";  // truncated by a crash
  }
  CHECK(to_json(last).dump() == R"({"step":16,"epoch":1})");
  CHECK(to_json(first).dump() == R"({"step":0,"epoch":0,"tokens":0,"test/loss":0.1})");
  const auto rows = rows_in(folder.path());
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].tokens == 0);
  CHECK(rows[0].metrics == first.metrics);
  CHECK(rows[1].step == 7);
  CHECK(rows[1].epoch == 0.4375);
  CHECK(rows[1].tokens == 1792);
  CHECK(rows[1].metrics.at("train/loss") == infinity);
  CHECK(std::isnan(rows[1].metrics.at("x")));
  CHECK_FALSE(rows[2].tokens);
  CHECK(rows_in(folder.path() / "none").empty());
}

}  // namespace yatlab
