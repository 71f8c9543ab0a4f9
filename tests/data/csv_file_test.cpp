#include "plugins/kernels/datasets/csv_file.h"

#include "catch.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;
using Lines = std::vector<std::vector<std::string>>;

TEST_CASE("comma-separated values are read according to RFC 4180", "[csv]") {
  const auto t = parse_csv("a,b,c\r\n1,\"x, y\",3\r\n 4 ,\"say \"\"hi\"\"\",\"two\nlines\"\n,,\n", "t.csv");
  CHECK(t.columns == std::vector<std::string>{"a", "b", "c"});
  CHECK(t.rows == Lines{{"1", "x, y", "3"}, {"4", "say \"hi\"", "two\nlines"}, {"", "", ""}});
  CHECK(t.lines == std::vector<std::int64_t>{2, 4, 5});
  CHECK(parse_csv("\xEF\xBB\xBFname\n1", "t.csv").columns == std::vector<std::string>{"name"});  // as spreadsheets write it
  CHECK(parse_csv("a,b\n1,2", "t.csv").rows == Lines{{"1", "2"}});                               // no line end
  CHECK(parse_csv("a,b\n\n1,2\n\n", "t.csv").lines == std::vector<std::int64_t>{3});             // empty lines are skipped
  CHECK(parse_csv("a\tb\n1,5\t2\n", "t.csv", '\t').rows == Lines{{"1,5", "2"}});
  CHECK(parse_csv("a;b\n1;2\n", "t.csv", ';').rows == Lines{{"1", "2"}});
  CHECK(parse_csv("a,b\n", "t.csv").rows.empty());
  const auto plain = parse_csv("1,2\n3,4\n", "t.csv", ',', false);
  CHECK(plain.columns == std::vector<std::string>{"0", "1"});
  CHECK(plain.rows == Lines{{"1", "2"}, {"3", "4"}});
  CHECK(plain.lines == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("errors in a malformed table name the line", "[csv]") {
  const auto error = [](const std::string& text, bool header = true) {
    return std::string(caught([&] { parse_csv(text, "t.csv", ',', header); }).what());
  };
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(error("a,b\n1,2\n1,2,3\n"), ContainsSubstring("t.csv:3") && ContainsSubstring("3 fields, the header has 2"));
  CHECK_THAT(error("a,b\n1\n"), ContainsSubstring("t.csv:2") && ContainsSubstring("1 field, the header has 2"));
  CHECK_THAT(error("1,2\n1\n", false), ContainsSubstring("t.csv:2") && ContainsSubstring("1 field, the first row has 2"));
  CHECK_THAT(error("a,b\n1,\"x\n"), ContainsSubstring("t.csv:2") && ContainsSubstring("a quote is not closed"));
  CHECK_THAT(error("a,b\n1,x\"y\n"), ContainsSubstring("t.csv:2:4") && ContainsSubstring("a quote inside an unquoted field"));
  CHECK_THAT(error("a,b\n1,\"x\"y\n"), ContainsSubstring("t.csv:2:6") && ContainsSubstring("unexpected text after the closing quote"));
  CHECK_THAT(error("\"a\";\"b\"\n"), ContainsSubstring("t.csv:1:4") && ContainsSubstring("unexpected text after the closing quote"));
  CHECK_THAT(error("a,b\nZo\xC3\xAB,x\"y\n"), ContainsSubstring("t.csv:2:6"));  // characters, not bytes
  CHECK_THAT(error("a,b\n1,\xE9\n"), ContainsSubstring("t.csv:2:3") && ContainsSubstring("not text in UTF-8"));
  CHECK_THAT(error("a,b,a\n1,2,3\n"), ContainsSubstring("t.csv:1") && ContainsSubstring("two columns are called 'a'"));
  CHECK_THAT(error(""), ContainsSubstring("'t.csv' is empty"));
}

TEST_CASE("a column without a header has an empty name", "[csv]") {
  CHECK(parse_csv(",a,\n0,1,\n", "t.csv").columns == std::vector<std::string>{"", "a", ""});
}

TEST_CASE("the column separator is the one that every row has equally often", "[csv]") {
  CHECK(separator_in("a,b\n1,2\n") == ',');
  CHECK(separator_in("\"a\";\"b\"\n1,5;2\n3;2,5\n") == ';');
  CHECK(separator_in("a\tb\tc\n1,5\t2\t3\n\n4\t5\t6") == '\t');
  CHECK(separator_in("a|b\r\n1|2\r\n") == '|');
  CHECK(separator_in("a,b\n\"x;y\",2\n\"two\nlines;\",3\n") == ',');
  CHECK(separator_in("1,5;2\n3,5;2\n") == 0);  // both
  CHECK(separator_in("a\n1\n") == 0);
  CHECK(separator_in("a;b\n1;2;3\n") == 0);
  CHECK(separator_in("") == 0);
}
