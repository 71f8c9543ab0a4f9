#include "core/report/paper_readme.h"

#include "catch.h"
#include "core/config/yaml.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab {

using testing::holds;

TEST_CASE("a paper's README has a question, answers, the first short table and the first figure of an experiment") {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path(), one = out / "one";
  fs::create_directories(one / "tables");
  fs::create_directories(one / "figures");
  std::vector<fs::path> files;
  const auto write = [&](const char* name, const std::string& text) {
    write_file_atomic(one / name, text);
    files.push_back(one / name);
  };
  write("tables/tab_b.md", "| second |\n");
  write("tables/tab_a.md", "| first |\n");
  write("tables/claims.md", "| a check |\n");
  write("figures/fig_z.svg", "<svg/>");
  write("figures/fig_a.png", "");
  write("figures/fig_z.txt", "Drawn with 3 seeds.\n");
  const auto config = ReportConfig::read(
      parse_yaml("name: one\narms: {yat: []}\nmetrics: {m: {title: m}}\nquestion: Why?\n"
                 "tables:\n  tab:a: {title: A, columns: [m]}\n  tab:b: {title: B table, columns: [m]}\n"
                 "figures:\n  fig:z: {plot: learning_curves, metrics: [m], caption: Z}\n  fig:a: {plot: learning_curves, metrics: [m]}\n",
                 "one.yaml"));
  ReadmeSection section{"one", "The title", config.question, "Run `one/1`, 2 jobs", "3 statements", one};
  list_parts(section, files, config);
  const PaperClaim claim{
      "c", "it is higher", "table 1", "◐", ClaimData::kPaper, false, {{RowAnswer::kAgrees, true, "2 : 1", "direction", "one"}}};
  const PaperClaim other{
      "d", "it is lower", "table 2", "✗", ClaimData::kPaper, false, {{RowAnswer::kAgrees, true, "1 : 2", "direction", "two"}}};
  const std::vector<FoundRow> answers = {{RowAnswer::kOpen, true, "loss 3 : 4", "direction", "one"},
                                         {RowAnswer::kOpen, true, "loss 5 : 6", "direction", "two"}};
  const auto page = paper_readme({section}, {"two"}, {claim, other}, answers, out);
  CAPTURE(page);
  CHECK(holds(page, "Of 2 claims of the paper 0 hold (✓), 1 holds in part"));
  CHECK(
      holds(page,
            "## The title\n\n**Why?**\n\nThe paper's claims, and what was found:\n\n- ◐ *it is higher*\n  - 2 : 1\n\nWhat was found:\n\n- "
            "loss 3 : 4\n\n3 statements"));
  CHECK_FALSE(holds(page, "loss 5 : 6"));
  CHECK_FALSE(holds(page, "it is lower"));
  CHECK(holds(page,
              "| first |\n\n![fig\\_z](one/figures/fig_z.svg)\n\nDrawn with 3 seeds.\n\n"
              "More: [B table](one/tables/tab_b.md), [figure fig\\_a](one/figures/fig_a.png).\n"));
  CHECK_FALSE(holds(page, "| second |"));
  CHECK(holds(page, "Without a complete run at full scale: `two`.\n"));
  // A long table is a link.
  std::string rows;
  for (int i = 0; i < 50; ++i) rows += "| row |\n";
  write_file_atomic(one / "tables/tab_a.md", rows);
  const auto longer = paper_readme({section}, {}, {}, {}, out);
  CHECK_FALSE(holds(longer, "| row |"));
  CHECK(holds(longer, "More: [A](one/tables/tab_a.md), [B table](one/tables/tab_b.md)"));
}

}  // namespace yatlab
