#include "plugins/kernels/datasets/libsvm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/checked_text.h"
#include "plugins/kernels/datasets/number_text.h"

namespace yatlab {
namespace {

/// Removes the next word from the line and returns it; "" at the end.
std::string_view next_word(std::string_view& line) {
  const auto begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  const auto end = std::min(line.size(), line.find_first_of(" \t\r", begin));
  const auto word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

LibsvmRows parse_libsvm(std::string_view bytes, const std::string& name) {
  auto text = checked_rows(bytes, name);
  LibsvmRows out;
  out.begins.push_back(0);
  std::int64_t highest = -1;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = line.substr(0, line.find('#'));
    const char* const begin = line.data();
    const auto refuse = [&](std::string_view word, const std::string& what,
                            const std::string& hint = "a line is a label and index:value pairs; indices ascend from 1 or 0") {
      return data_error("not in LIBSVM format", fmt::format("{}:{}:{}", name, number, word.data() - begin + 1), what, hint);
    };
    const auto quoted = [](std::string_view word) { return shortened(word, 40); };
    const auto label = next_word(line);
    if (label.empty()) continue;
    const auto as_number = number_in<double>(label);
    if (!as_number || !std::isfinite(*as_number)) {
      const bool commas = label.find(',') != std::string_view::npos, pairs = line.find(':') != std::string_view::npos;
      throw refuse(label, fmt::format("the label is '{}', which is not a number", quoted(label)),
                   !commas ? "give each class a number"
                   : pairs ? "for rows with several labels use dataset=xc"
                           : "for comma-separated values use dataset=table");
    }
    std::optional<std::int64_t> before;
    for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
      const auto colon = word.find(':');
      const auto index = number_in<std::int64_t>(word.substr(0, colon));
      const auto value = colon == std::string_view::npos ? std::nullopt : number_in<double>(word.substr(colon + 1));
      if (!index || !value) throw refuse(word, fmt::format("'{}' is not an index:value pair", quoted(word)));
      if (*index < 0 || *index == std::numeric_limits<std::int64_t>::max()) throw refuse(word, fmt::format("{} is not an index", *index));
      if (before && *index <= *before) throw refuse(word, fmt::format("index {} comes after {}", *index, *before));
      before = *index;
      out.from_zero = out.from_zero || *index == 0;
      out.columns.push_back(*index - 1);
      out.values.push_back(static_cast<float>(*value));
    }
    highest = std::max(highest, before.value_or(-1));
    const bool whole = *as_number == std::floor(*as_number) && std::abs(*as_number) < 1e15;
    out.labels.push_back(whole ? fmt::format("{}", static_cast<std::int64_t>(*as_number)) : fmt::format("{}", *as_number));
    out.lines.push_back(number);
    out.begins.push_back(out.columns.size());
  }
  out.width = std::max<std::int64_t>(0, highest);
  if (out.from_zero) {
    for (auto& column : out.columns) ++column;
    ++out.width;
  }
  return out;
}

void count_from_zero(LibsvmRows& rows) {
  if (rows.from_zero) return;
  rows.from_zero = true;
  for (auto& column : rows.columns) ++column;
  if (!rows.columns.empty()) ++rows.width;
}

}  // namespace yatlab
