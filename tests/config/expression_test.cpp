#include "core/config/expression.h"

#include <cmath>

#include "catch.h"
#include "config/support.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

const Origin kHere{"x.yaml", 3, 1, {}};

Expression::Value value_of(const std::string& name) {
  if (name == "lr") return 0.1;
  if (name == "operator.epsilon") return 1e-3;
  if (name == "dataset") return std::string("moons");
  if (name == "architecture.bias") return true;
  FAIL("unexpected name " << name);
  return 0.0;
}

double number(const std::string& text) { return std::get<double>(Expression::parse(text, kHere).evaluate(value_of)); }
bool holds(const std::string& text) { return Expression::parse(text, kHere).holds(value_of); }
std::string wrong(const std::string& text) {
  return error_of([&] { holds(text); });
}
void refused(const std::string& text, const std::string& why) {
  const auto error = wrong(text);
  INFO(error);
  CHECK(testing::holds(error, why));
}

}  // namespace

TEST_CASE("numbers in expressions are evaluated", "[expression]") {
  CHECK(number("1 + 2 * 3") == 7);
  CHECK(number("(1 + 2) * 3") == 9);
  CHECK(number("8 / 2 / 2") == 2);
  CHECK(number("5 - 2 - 1") == 2);
  CHECK(number("-2 - -3") == 1);
  CHECK(number("2 * -3") == -6);
  CHECK(number("lr * 10") == Approx(1));
  CHECK(number("operator.epsilon*1e3") == Approx(1));
  CHECK(number(".5e1") == 5);
  CHECK(number("log10(operator.epsilon)") == Approx(-3));
  CHECK(number("pow(2, 10) + sqrt(9) + abs(-1) + exp(0) + log(1)") == 1029);
  CHECK(number("2^3^2") == 512);
  CHECK(number("-2^2") == -4);
  CHECK(number("2^-1 * 4") == 2);
  CHECK(number("2 * 3^2") == 18);
  CHECK(number("tanh(0) + sigmoid(0) + relu(-3) + relu(3)") == 3.5);
  CHECK(number("where(lr < 1, 5, 6) + where(lr > 1 or false, 50, 60)") == 65);
  CHECK(number("min(3, 1, 2) + max(3, 1, 2) + max(7)") == 11);
}

TEST_CASE("comparisons and words in expressions are evaluated", "[expression]") {
  CHECK(holds("lr < 1"));
  CHECK_FALSE(holds("lr < 0.1"));
  CHECK(holds("lr <= 0.1 and lr >= 0.1"));
  CHECK_FALSE(holds("lr > 0.1 or lr != 0.1"));
  CHECK(holds("not lr > 0.1"));
  CHECK(holds("not (lr > 0.1 and true)"));
  CHECK(holds("dataset == 'moons'"));
  CHECK(holds("dataset != \"rings\" and architecture.bias"));
  CHECK(holds("architecture.bias == true"));
  // 'and' binds closer than 'or', 'not' closer than both; comparisons closer than words.
  CHECK(holds("true or false and false"));
  CHECK(holds("not false and true"));
  CHECK(holds("1 + 1 == 2 and 2 * 2 > 3"));
  // Words are whole words.
  CHECK(Expression::parse("order < android", kHere).names() == std::vector<std::string>{"order", "android"});
  CHECK(Expression::parse("nothing + nothing", kHere).names() == std::vector<std::string>{"nothing"});
}

TEST_CASE("invalid expressions are rejected with their position", "[expression]") {
  refused("lr <", "column 5: expected a value, found the end");
  refused("lr < 1 2", "column 8: '2' is not expected here");
  refused("(lr < 1", "')' is missing");
  refused("lr = 1", "write '==' for a comparison");
  refused("0 < lr < 1", "join them with 'and'");
  refused("maxx(1) < 2", "there is no function 'maxx'");
  refused("maxx(1) < 2", "max");
  refused("pow(1) < 2", "pow takes 2 arguments");
  refused("1.2.3 < 2", "this is not a number");
  refused("dataset == 'moons", "the quote is not closed");
  refused("lr & 1", "'&' is not expected here");
  refused("", "expected a value, found the end");
  refused("lr", "the number 0.1 is not true or false");
  refused("dataset < 1", "the string 'moons' is not a number");
  refused("dataset == 1", "cannot compare");
  refused("lr and true", "is not true or false");
  refused(std::string(100000, '('), "levels deep");
  refused(std::string(100000, '-'), "levels deep");
  std::string sum = "1", nots;
  for (int i = 0; i < 100000; ++i) sum += " + 1";
  refused(sum, "more than 1000 operators");
  for (int i = 0; i < 10000; ++i) nots += "not ";
  refused(nots, "levels deep");
}
