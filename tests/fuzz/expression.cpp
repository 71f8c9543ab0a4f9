// Formulas, with values of every type for their names. `holds` must agree on truth values.
#include "core/config/expression.h"

#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  Expression formula;
  if (!accepted([&] { formula = Expression::parse(std::string(input), {"input.yaml", 3, 1, {}}); })) return;
  const auto names = formula.names();
  // Every name takes each of these in turn.
  const std::vector<Expression::Value> values = {0.0, 1.0, -2.5, 1e300, true, false, std::string("moons"), std::string()};
  for (std::size_t turn = 0; turn < values.size(); ++turn) {
    const auto lookup = [&](const std::string& name) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return values[(turn + i) % values.size()];
      }
      finding("it asks for a name that it does not name: " + name);
    };
    Expression::Value value;
    const bool valued = accepted([&] { value = formula.evaluate(lookup); });
    const bool* const truth = std::get_if<bool>(&value);
    bool held = false;
    const bool decided = accepted([&] { held = formula.holds(lookup); });
    expect(decided == (valued && truth), "it holds or not where it is not a condition, or the other way round");
    if (decided) expect(held == *truth, "a condition's value is not whether it holds");
    if (names.empty()) return;
  }
}

}  // namespace yatlab::fuzz
