#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace yatlab {

/// Parses a text that is a number and nothing else; it may begin with a plus sign.
template <class T>
std::optional<T> number_in(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace yatlab
