#include "plugins/kernels/layers/layer_operators.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace yatlab {
namespace {

constexpr const char* kOwn = "operator";

}  // namespace

void LayerOperators::declare(Fields& f, LayerOperators& p) {
  f.field("operators", p.names,
          "operator of each layer, in order: 'operator' is the experiment's, other names have their defaults and no scale; with fewer "
          "names than layers, the first name also applies to the layers before")
      .names_of("operator");
}

bool LayerOperators::all_own() const {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) { return name == kOwn; });
}

std::vector<LayerOperator> LayerOperators::of(std::size_t layers, const std::shared_ptr<Operator>& own) const {
  if (names.empty() || names.size() > layers) {
    throw config_error(fmt::format("{} operators for {} layers", names.size(), layers), "architecture.operators", {},
                       "name one for each layer, or fewer: the first also applies to the layers before");
  }
  std::vector<LayerOperator> out;
  for (std::size_t i = 0; i < layers; ++i) {
    const auto behind = layers - 1 - i;  // number of later layers
    const auto& name = names[behind < names.size() ? names.size() - 1 - behind : 0];
    if (name != kOwn) {
      out.push_back({Registry<Operator>::create(name), false});
      continue;
    }
    if (!own)
      throw config_error("this architecture needs an operator", "architecture.operators", {}, "set an operator, such as operator=yat");
    out.push_back({own, true});
  }
  return out;
}

}  // namespace yatlab
