#include "plugins/kernels/datasets/libsvm_text.h"

#include "catch.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;

TEST_CASE("LIBSVM rows are read", "[libsvm]") {
  const auto a = parse_libsvm("+1 1:0.5 3:-2e-1   # the first\n\n-1\t2:1\r\n2.0\n# nothing\n0.5 7:+3", "a");
  CHECK(a.labels == std::vector<std::string>{"1", "-1", "2", "0.5"});
  CHECK(a.begins == std::vector<std::size_t>{0, 2, 3, 3, 4});
  CHECK(a.columns == std::vector<std::int64_t>{0, 2, 1, 6});
  CHECK(a.values == std::vector<float>{0.5f, -0.2f, 1.f, 3.f});
  CHECK(a.width == 7);
  CHECK(a.lines == std::vector<std::int64_t>{1, 3, 4, 6});
  CHECK_FALSE(a.from_zero);
  CHECK(parse_libsvm("", "a").size() == 0);
}

TEST_CASE("errors in LIBSVM files name the line", "[libsvm]") {
  const auto error = [](const std::string& text) { return std::string(caught([&] { parse_libsvm(text, "a.txt"); }).what()); };
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(error("1 1:2\nx 1:2\n"), ContainsSubstring("a.txt:2:1") && ContainsSubstring("the label is 'x'"));
  CHECK_THAT(error("1,2 1:2\n"), ContainsSubstring("the label is '1,2'") && ContainsSubstring("dataset=xc"));
  CHECK_THAT(error("5.1,3.5,setosa\n"), ContainsSubstring("dataset=table"));
  CHECK_THAT(error("nan 1:2\n"), ContainsSubstring("the label is 'nan'"));
  CHECK_THAT(error("1 1:2 5\n"), ContainsSubstring("'5' is not an index:value"));
  CHECK_THAT(error("1 a:2\n"), ContainsSubstring("'a:2' is not an index:value"));
  CHECK_THAT(error("1 1:\n"), ContainsSubstring("'1:' is not an index:value"));
  CHECK_THAT(error("1 qid:3 1:2\n"), ContainsSubstring("'qid:3' is not an index:value"));
  CHECK_THAT(error("1 1:+-2\n"), ContainsSubstring("'1:+-2' is not an index:value"));
  CHECK_THAT(error("1 -1:2\n"), ContainsSubstring("-1 is not an index"));
  CHECK_THAT(error("1 9223372036854775807:2\n"), ContainsSubstring("9223372036854775807 is not an index"));
  CHECK_THAT(error("1 3:2 2:1\n"), ContainsSubstring("a.txt:1:7") && ContainsSubstring("index 2 comes after 3"));
  CHECK_THAT(error("1 3:2 3:1\n"), ContainsSubstring("index 3 comes after 3"));
}

TEST_CASE("LIBSVM indices start at 0 if any index is 0", "[libsvm]") {
  auto a = parse_libsvm("1 1:5 4:2\n2 0:3 1:7\n", "a");
  CHECK(a.from_zero);
  CHECK(a.columns == std::vector<std::int64_t>{1, 4, 0, 1});
  CHECK(a.width == 5);
  const auto same = a.columns;
  count_from_zero(a);
  CHECK(a.columns == same);
  auto b = parse_libsvm("1 1:5 4:2\n", "b");
  CHECK(b.columns == std::vector<std::int64_t>{0, 3});
  CHECK(b.width == 4);
  count_from_zero(b);
  CHECK(b.columns == std::vector<std::int64_t>{1, 4});
  CHECK(b.width == 5);
}
