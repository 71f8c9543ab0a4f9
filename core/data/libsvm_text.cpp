#include "core/data/libsvm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/number_text.h"

namespace yatlab {
namespace {

/// Of the line: takes the next word off it; "" at its end.
std::string_view next_word(std::string_view& line) {
  const auto begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  const auto end = std::min(line.size(), line.find_first_of(" \t\r", begin));
  const auto word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

LibsvmRows parse_libsvm(std::string_view text, const std::string& name) {
  LibsvmRows out;
  out.begins.push_back(0);
  for (std::int64_t number = 1; !text.empty(); ++number) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = line.substr(0, line.find('#'));
    const auto refuse = [&](const std::string& what) {
      return data_error("not LIBSVM's format", fmt::format("{}:{}", name, number), what,
                        "a line is a label, then index:value with indices from 1 that ascend");
    };
    const auto label = next_word(line);
    if (label.empty()) continue;
    const auto as_number = number_in<double>(label);
    if (!as_number || !std::isfinite(*as_number))
      throw refuse(fmt::format("the label is '{}', which is no number", shortened(std::string(label), 40)));
    std::int64_t before = 0;
    for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
      const auto colon = word.find(':');
      const auto index = number_in<std::int64_t>(word.substr(0, colon));
      const auto value = colon == std::string_view::npos ? std::nullopt : number_in<double>(word.substr(colon + 1));
      if (!index || !value) throw refuse(fmt::format("'{}' is no index:value", shortened(std::string(word), 40)));
      if (*index <= before) throw refuse(fmt::format("index {} stands behind {}", *index, before));
      before = *index;
      out.columns.push_back(*index - 1);
      out.values.push_back(static_cast<float>(*value));
    }
    out.width = std::max(out.width, before);
    const bool whole = *as_number == std::floor(*as_number) && std::abs(*as_number) < 1e15;
    out.labels.push_back(whole ? fmt::format("{}", static_cast<std::int64_t>(*as_number)) : fmt::format("{}", *as_number));
    out.begins.push_back(out.columns.size());
  }
  return out;
}

}  // namespace yatlab
