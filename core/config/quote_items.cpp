#include "core/config/quote_items.h"

#include "core/base/text.h"

namespace yatlab {

std::string quote_items(std::string_view text) {
  std::string out(text);
  const auto open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']' || text.find_first_of("'\"(){}\\", open) != std::string_view::npos ||
      text.find('[', open + 1) != std::string_view::npos) {
    return out;
  }
  out.resize(open + 1);
  bool first = true;
  for (const auto& item : split(text.substr(open + 1, text.size() - open - 2), ',')) {
    const auto plain = trim(item);
    out += first ? "" : ", ";
    out += plain.find('=') == std::string::npos ? plain : "'" + plain + "'";
    first = false;
  }
  return out + "]";
}

}  // namespace yatlab
