#include "core/base/metric_doc.h"
#include "catch.h"

using namespace yatlab;

TEST_CASE("metrics under a prefix keep their description and extend their title") {
  const std::vector<MetricDoc> own = {MetricDoc("accuracy").higher().percent().shown(),
                                      MetricDoc("ece").called("calibration error").in("points").lower(), "top_two"};
  const auto plain = with_prefix("a/", own);
  CHECK(names_of(plain) == std::vector<std::string>{"a/accuracy", "a/ece", "a/top_two"});
  CHECK(plain[0].title.empty());
  CHECK(plain[1].title == "calibration error");

  const auto split = with_prefix("test/", own, "test {}");
  CHECK(names_of(split) == std::vector<std::string>{"test/accuracy", "test/ece", "test/top_two"});
  CHECK(split[0].title == "test accuracy");
  CHECK(split[1].title == "test calibration error");
  CHECK(split[2].title == "test top two");
  CHECK(split[0].better == Direction::kHigher);
  CHECK(split[0].format == NumberFormat::kPercent);
  CHECK(split[0].tabulated);
  CHECK(split[1].unit == "points");
  CHECK_FALSE(split[1].tabulated);
  // A bare name has no description; other code derives its direction and format.
  CHECK_FALSE(split[2].better);
  CHECK_FALSE(split[2].format);
  CHECK(with_prefix("b/", own, "{} after w → −w")[0].title == "accuracy after w → −w");
}
