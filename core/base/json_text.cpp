#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

namespace yatlab {

std::string text_in(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace yatlab
