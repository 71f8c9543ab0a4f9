#include "core/base/json_number.h"

#include <cmath>

#include "catch.h"

namespace yatlab {

TEST_CASE("numbers survive JSON including inf and nan") {
  for (const double value : {0.0, -1.5, 1e300, 0.1, HUGE_VAL, -HUGE_VAL}) {
    const auto text = json_number(value).dump();
    CHECK(number_in(nlohmann::ordered_json::parse(text)) == value);
  }
  CHECK(json_number(std::nan("")) == "nan");
  CHECK(std::isnan(*number_in("NaN")));
  CHECK(std::isnan(*number_in(nullptr)));
  CHECK(number_in("-Infinity") == -HUGE_VAL);
  for (const nlohmann::ordered_json& other :
       {nlohmann::ordered_json("1.5"), nlohmann::ordered_json("none"), nlohmann::ordered_json::array({1}), nlohmann::ordered_json(true)}) {
    INFO(other.dump());
    CHECK_FALSE(number_in(other));
  }
}

}  // namespace yatlab
