#include "core/table/text_grid.h"

#include "catch.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::holds;
using Texts = std::vector<std::string>;

std::vector<std::vector<TextCell>> grid(const std::vector<Texts>& rows) {
  std::vector<std::vector<TextCell>> out;
  for (const auto& row : rows) out.emplace_back(row.begin(), row.end());
  return out;
}

std::size_t widest(const std::string& text) {
  std::size_t out = 0;
  for (const auto& line : split(text, '\n')) out = std::max(out, display_width(line));
  return out;
}

}  // namespace

TEST_CASE("a grid fits the width or is split into blocks that repeat the labels", "[grid]") {
  const auto rows = grid({{"", "n", "accuracy", "loss"}, {"linear", "3", "92.1 ± 0.1 %", "0.31"}, {"ⵟ", "10", "91.8 %", "0.3"}});
  const std::string whole =
      "          n   accuracy      loss\n"
      "  linear  3   92.1 ± 0.1 %  0.31\n"
      "  ⵟ       10  91.8 %        0.3\n";
  CHECK(text_grid(rows, 1, 0) == whole);
  CHECK(text_grid(rows, 1, 32) == whole);
  CHECK(text_grid(rows, 1, 31) ==
        "          n   accuracy\n"
        "  linear  3   92.1 ± 0.1 %\n"
        "  ⵟ       10  91.8 %\n"
        "\n"
        "          loss\n"
        "  linear  0.31\n"
        "  ⵟ       0.3\n");
}

TEST_CASE("cells are never split and long labels wrap", "[grid]") {
  const std::string label = "a_rather_long_name_of_an_arm_that_says_everything_about_it", swept = "architecture.init.std = 0.75";
  const Texts cells = {"26.8 ± 0.1 %", "[12.5, 77.5]", "0.1999996  0.000000  ≈ consistent"};
  const auto rows = grid({{"", "", "accuracy", "range", "paper"}, {label, swept, cells[0], cells[1], cells[2]}});
  for (std::size_t width = 70; width < 200; ++width) {
    INFO(width);
    const auto text = text_grid(rows, 2, width);
    CHECK(widest(text) <= width);
    for (const auto& cell : cells) CHECK(holds(text, cell));
  }
  std::string letters;
  for (const auto& line : split(text_grid(grid({{"", "K"}, {label, "0.5"}}), 1, 40), '\n'))
    letters += trim(line.substr(0, line.find("0.5")));
  CHECK(holds(letters, label));
}

TEST_CASE("rows without content in a block are omitted", "[grid]") {
  const auto rows = grid({{"arm", "A", "B"}, {"x", "1", ""}, {"y", "2", "3"}});
  CHECK(text_grid(rows, 1, 0) == "  arm  A  B\n  x    1\n  y    2  3\n");
  CHECK(text_grid(rows, 1, 9) == "  arm  A\n  x    1\n  y    2\n\n  arm  B\n  y    3\n");
}

TEST_CASE("a text is cut in its middle, between letters", "[grid]") {
  CHECK(cut_in_the_middle("sweep/2026-11-20-3fa9c1", 23) == "sweep/2026-11-20-3fa9c1");
  CHECK(cut_in_the_middle("sweep/2026-11-20-3fa9c1", 16) == "sweep/2026…fa9c1");
  for (std::size_t width = 8; width < 20; ++width) {
    const auto cut = cut_in_the_middle("ⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟⵟ", width);
    CHECK(display_width(cut) == width);
    CHECK(holds(cut, kEllipsis));
  }
}

}  // namespace yatlab
