// Overrides and values in the same grammar, as typed on a command line. A round trip gives the same.
#include "core/config/override.h"

#include "core/config/sweep.h"
#include "fuzz.h"

namespace yatlab::fuzz {
namespace {

void round_trip(const Node& value) {
  const auto text = format_override_value(value);
  const auto again = parse_override("key=" + text);
  expect(!again.is_sweep() && again.value == value, "a formatted value reads as another");
}

}  // namespace

void fuzz_input(std::string_view input) {
  accepted([&] {
    const auto override = parse_override(input);
    if (override.is_sweep()) {
      accepted([&] { expand_sweep(override, {"one", "two"}); });
      accepted([&] { grid({dimension_of(override, [](const std::string&) { return std::vector<std::string>{"one", "two"}; })}); });
      accepted([&] { throw_not_a_sweep(override); });
    } else if (override.has_value) {
      round_trip(override.value);
    }
  });
  accepted([&] { parse_sweep_value(input); });
  accepted([&] { parse_seeds(std::string(input)); });
}

}  // namespace yatlab::fuzz
