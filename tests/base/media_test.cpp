#include "core/base/media.h"

#include <limits>

#include "catch.h"

namespace yatlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a histogram counts every finite value once", "[media]") {
  const auto h = histogram_of({0, 0.5, 1, 2, 4, kInfinity, std::numeric_limits<double>::quiet_NaN()}, 4);
  CHECK(h.edges == std::vector<double>{0, 1, 2, 3, 4});
  CHECK(h.counts == std::vector<double>{2, 1, 1, 1});  // an edge belongs to the bin that starts there, the highest to the last bin
  CHECK(histogram_of({}).counts.empty());
  CHECK(histogram_of({kInfinity}).edges.empty());
}

TEST_CASE("equal values form one histogram bin at any magnitude", "[media]") {
  for (const double v : {0.0, 3.0, -1e300, 1e-300}) {
    INFO(v);
    const auto h = histogram_of({v, v, v}, 10);
    REQUIRE(h.edges.size() == 2);
    CHECK(h.edges[0] < h.edges[1]);
    CHECK(h.edges[0] <= v);
    CHECK(v <= h.edges[1]);
    CHECK(h.counts == std::vector<double>{3});
  }
}

TEST_CASE("a table's Markdown is given or made from its cells", "[media]") {
  TableData table;
  table.columns = {"name", "value"};
  table.rows = {{"a|b", 1.5}, {nullptr, true}, {"two\nlines", "x"}};
  CHECK(to_markdown(table) == "| name | value |\n| --- | --- |\n| a\\|b | 1.5 |\n|  | true |\n| two lines | x |\n");
  table.markdown = "| as people lay it out |";
  CHECK(to_markdown(table) == table.markdown);
}

}  // namespace yatlab
