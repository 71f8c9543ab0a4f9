// Every choice in the config groups of the mathematics is a component that can be built unchanged.
#include <filesystem>
#include <set>

#include "catch.h"
#include "core/config/yaml.h"
#include "core/model/architecture.h"
#include "core/model/initializer.h"
#include "core/ops/normalizer.h"
#include "core/ops/operator.h"

namespace fs = std::filesystem;
using yatlab::Node;

namespace {

/// Builds each file of one group; returns the components that the files name.
template <class T>
std::set<std::string> build_group() {
  std::set<std::string> names;
  const fs::path group = fs::path(YATLAB_SOURCE_DIR) / "configs" / yatlab::KindOf<T>::name;
  for (const auto& file : fs::directory_iterator(group)) {
    if (file.path().extension() != ".yaml") continue;
    INFO(file.path().string());
    const Node node = yatlab::load_yaml(file.path());
    REQUIRE(node.has("name"));
    CHECK_NOTHROW(yatlab::Registry<T>::create(node));
    names.insert(node.at("name").as_string());
  }
  return names;
}

}  // namespace

TEST_CASE("configs: each file builds, and each built-in component has one", "[configs]") {
  const auto holds = [](const std::set<std::string>& names, std::initializer_list<const char*> all) {
    for (const char* name : all) CHECK(names.count(name) == 1);
  };
  holds(build_group<yatlab::Operator>(), {"cosine", "dot", "euclidean", "yat"});
  holds(build_group<yatlab::Normalizer>(), {"soft_sigmoid", "soft_tanh", "softermax", "softmax"});
  holds(build_group<yatlab::Initializer>(),
        {"constant", "kaiming_normal", "normal", "training_samples", "uniform", "xavier_normal", "xavier_uniform", "zeros"});
  holds(build_group<yatlab::Architecture>(), {"mlp", "prototype_classifier", "single_unit"});
}
