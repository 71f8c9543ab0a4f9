#include "plugins/kernels/layers/layer_operators.h"

#include "catch.h"
#include "core/base/error.h"
#include "helpers.h"

namespace yatlab {
namespace {

TEST_CASE("layer operators: the last name is for the last layer, the first for others", "[layer_operators]") {
  const auto own = Registry<Operator>::create(testing::spec("yat"));
  /// o: the experiment's, d: a dot product, e: a distance.
  const auto chosen = [&](const std::vector<std::string>& names, std::size_t layers) {
    std::string out;
    for (const auto& layer : LayerOperators{names}.of(layers, own)) {
      CHECK(layer.own == (layer.op == own));
      out += layer.own ? 'o' : layer.op->traits().inner_product ? 'd' : 'e';
    }
    return out;
  };
  CHECK(chosen({"operator"}, 3) == "ooo");
  CHECK(chosen({"operator", "dot"}, 4) == "oood");
  CHECK(chosen({"dot", "euclidean", "operator"}, 5) == "dddeo");
  CHECK(chosen({"dot", "euclidean", "operator"}, 3) == "deo");
  CHECK(chosen({"dot"}, 1) == "d");
  CHECK(LayerOperators{{"operator", "operator"}}.all_own());
  CHECK_FALSE(LayerOperators{{"operator", "dot"}}.all_own());

  CHECK_THAT(testing::error_of([&] {
               chosen({"dot", "operator", "dot"}, 2);
             }),
             Catch::Matchers::ContainsSubstring("3 operators for 2 layers"));
  CHECK_THROWS_AS(chosen({}, 2), Error);
  CHECK_THROWS_AS(chosen({"no_such_kernel"}, 2), Error);
  CHECK_THAT(testing::error_of([&] {
               LayerOperators{{"operator", "dot"}}.of(2, nullptr);
             }),
             Catch::Matchers::ContainsSubstring("set an operator, such as operator=yat"));
  CHECK(LayerOperators{{"dot"}}.of(2, nullptr).size() == 2);
}

}  // namespace
}  // namespace yatlab
