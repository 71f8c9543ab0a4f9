#include "core/record/job_media.h"

#include <fstream>

#include "catch.h"
#include "core/base/error.h"
#include "helpers.h"
#include "temporary_folder.h"

namespace yatlab {

TEST_CASE("media of a job read back unchanged", "[media]") {
  const TemporaryFolder folder;
  TableData table;
  table.columns = {"a", "b"};
  table.rows = {{1, "x"}, {2.5, nullptr}};
  table.markdown = "| laid out |";
  const std::vector<Media> items = {{"layers/1", Image{std::string("\x89PNG\0\r\n", 7)}, "one ⵟ", 3},
                                    {"layers_1", Image{"another"}, "", 3},  // the same file name except for the number
                                    {"table", table, "", 0},
                                    {"weights", Histogram{{-1, 0, 0.1}, {2, 3}}, "", 9},
                                    {"note", Markdown{"**bold**"}, "", 9}};
  write_media(folder.path(), items);
  const auto back = read_media(folder.path());
  REQUIRE(back.size() == items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    CHECK(back[i].name == items[i].name);
    CHECK(back[i].step == items[i].step);
    CHECK(back[i].caption == items[i].caption);
    REQUIRE(back[i].value.index() == items[i].value.index());
  }
  CHECK(std::get<Image>(back[0].value).png == std::get<Image>(items[0].value).png);
  CHECK(std::get<Image>(back[1].value).png == "another");
  CHECK(std::get<TableData>(back[2].value).columns == table.columns);
  CHECK(std::get<TableData>(back[2].value).rows == table.rows);
  CHECK(std::get<TableData>(back[2].value).markdown == table.markdown);
  CHECK(std::get<Histogram>(back[3].value).edges == std::vector<double>{-1, 0, 0.1});
  CHECK(std::get<Markdown>(back[4].value).text == "**bold**");

  write_media(folder.path(), {items[4]});  // another attempt: nothing of the first remains
  CHECK(read_media(folder.path()).size() == 1);
  CHECK(std::distance(fs::directory_iterator(folder.path() / "media"), fs::directory_iterator()) == 2);
  write_media(folder.path(), {});
  CHECK_FALSE(fs::exists(folder.path() / "media"));
  CHECK(read_media(folder.path()).empty());
}

TEST_CASE("a damaged media index or one that points elsewhere is rejected", "[media]") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "media");
  std::ofstream(folder.path() / "secret") << "secret";
  std::ofstream(folder.path() / "media/index.json") << R"([{"name": "n", "kind": "text", "file": "../secret", "step": 1}])";
  CHECK_THROWS_AS(read_media(folder.path()), Error);
  std::ofstream(folder.path() / "media/index.json") << R"([{"name": "n"}])";
  CHECK_THROWS_AS(read_media(folder.path()), Error);
}

}  // namespace yatlab
