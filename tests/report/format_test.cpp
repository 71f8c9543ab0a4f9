#include "core/verdict/format.h"

#include <cmath>

#include "catch.h"

using namespace yatlab;

TEST_CASE("values, differences and parameters are formatted") {
  CHECK(format_value(0.92304, NumberFormat::kPercent, 2) == "92.30");
  CHECK(format_value(-0.045, NumberFormat::kSignedPercent, 1) == "−4.5");
  CHECK(format_value(0.131, NumberFormat::kSignedPercent, 1) == "+13.1");
  CHECK(format_value(-0.0001, NumberFormat::kSignedPercent, 1) == "0.0");
  CHECK(format_value(2.6949, NumberFormat::kNumber, 2) == "2.69");
  CHECK(format_value(1.25e-5, NumberFormat::kScientific, 2) == "1.25e-5");
  CHECK(format_value(2.0, NumberFormat::kScientific, 2) == "2.00");
  CHECK(format_value(4690.4, NumberFormat::kInteger, 0) == "4690");
  CHECK(format_value(NAN, NumberFormat::kNumber, 2) == "nan");
  CHECK(format_exact(0.9208, NumberFormat::kPercent) == "92.08");
  CHECK(format_exact(0.0001, NumberFormat::kPercent) == "0.01");
  CHECK(format_exact(0.138, NumberFormat::kSignedPercent) == "+13.8");
  CHECK(format_exact(2.68, NumberFormat::kNumber) == "2.68");
  CHECK(format_difference(-0.0024, NumberFormat::kPercent, 2) == "−0.24");
  CHECK(format_difference(0.0, NumberFormat::kNumber, 2) == "0.00");
  CHECK(format_p(0.00099) == "p < 0.001");
  CHECK(format_p(0.0123) == "p = 0.012");
  CHECK(format_p(0.5) == "p = 0.50");
  CHECK(format_parameter(Node(1e-5)) == "1e-5");
  CHECK(format_parameter(Node(0.3)) == "0.3");
  CHECK(format_parameter(Node(0.12345671)) == "0.12345671");
  CHECK(format_parameter(Node(64)) == "64");
  CHECK(format_parameter(Node(true)) == "true");
  CHECK(format_parameter(Node("sqrt_n")) == "sqrt_n");
  CHECK(format_parameter(Node(Node::Map{{"name", "xavier"}})) == "xavier");
  CHECK(format_parameter(Node(Node::Map{{"name", "normal"}, {"std", 0.3}})) == "normal (std 0.3)");
}

TEST_CASE("different parameter values are never formatted alike") {
  // Adjacent doubles, and doubles that six digits cannot distinguish.
  for (const double value : {0.1, 1.0 / 3, 1e-7, 123456789.0, 0.12345671, -2.5e300, 1e22}) {
    const double next = std::nextafter(value, 1e308), near = value * (1 + 1e-8);
    for (const double other : {next, near}) {
      INFO(value << " " << other);
      CHECK(format_parameter(Node(value)) != format_parameter(Node(other)));
      CHECK(std::stod(format_parameter(Node(other))) == other);
    }
  }
}

TEST_CASE("decimals follow the smallest spread") {
  CHECK(decimals_for(NumberFormat::kPercent, {0.0008, 0.0009}, {0.92}) == 2);
  CHECK(decimals_for(NumberFormat::kSignedPercent, {0.004, 0.019}, {0.13}) == 1);
  CHECK(decimals_for(NumberFormat::kNumber, {0.12}, {2.69}) == 2);
  CHECK(decimals_for(NumberFormat::kNumber, {0.4}, {2.69}) == 1);
  CHECK(decimals_for(NumberFormat::kPercent, {1e-7}, {0.92}) == 2);
  CHECK(decimals_for(NumberFormat::kNumber, {1e-9}, {0.92}) == 4);
  CHECK(decimals_for(NumberFormat::kNumber, {250}, {4690}) == 0);
  CHECK(decimals_for(NumberFormat::kPercent, {}, {0.92}) == 2);
  CHECK(decimals_for(NumberFormat::kNumber, {0.0}, {2.69}) == 3);
  CHECK(decimals_for(NumberFormat::kNumber, {}, {2690}) == 0);
  CHECK(decimals_beside_zero(NumberFormat::kNumber, 2, {-0.12, -0.004}) == 3);
  CHECK(decimals_beside_zero(NumberFormat::kNumber, 2, {0.00012, 0.1}) == 4);
  CHECK(decimals_beside_zero(NumberFormat::kPercent, 1, {0.0004, 0.02}) == 2);
  CHECK(decimals_beside_zero(NumberFormat::kNumber, 2, {-0.12, 0.004}) == 2);
  CHECK(decimals_beside_zero(NumberFormat::kNumber, 2, {0.12, 0.4}) == 2);
  CHECK(decimals_for(NumberFormat::kInteger, {0.01}, {1}) == 0);
}
