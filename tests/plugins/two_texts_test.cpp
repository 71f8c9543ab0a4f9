#include <ATen/ATen.h>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/data/dataset.h"

namespace yatlab {
namespace {

DataContext quiet_context() {
  DataContext out;
  out.seed = 7;
  out.notice = [](const std::string&) {};
  return out;
}

std::shared_ptr<Dataset> text_set(const std::string& yaml) { return Registry<Dataset>::create(parse_yaml("{" + yaml + "}", "test")); }

}  // namespace

TEST_CASE("training and test data can come from different texts", "[two_texts]") {
  const auto both = text_set(
      "name: two_texts, context: 32, train: {name: generated_text, train_stories: 5, test_stories: 3}, "
      "test: {name: generated_text, train_stories: 2, test_stories: 4}");
  const auto splits = both->load(quiet_context());
  const auto a = text_set("name: generated_text, train_stories: 5, test_stories: 3, context: 32")->load(quiet_context());
  const auto b = text_set("name: generated_text, train_stories: 2, test_stories: 4, context: 32")->load(quiet_context());
  REQUIRE(splits.size() == 2);
  CHECK(at::equal(splits.at("train").inputs, a.at("train").inputs));
  CHECK(at::equal(splits.at("train").targets, a.at("train").targets));
  CHECK(at::equal(splits.at("test").inputs, b.at("test").inputs));
  CHECK(both->input_shape() == std::vector<std::int64_t>{32});
  CHECK(both->num_classes() == 257);
  CHECK(both->provenance().name == "generated_text, tested on generated_text");
  CHECK(both->provenance().tier == "embedded");
  CHECK(both->provenance().sha256.size() == 64);
}

TEST_CASE("two_texts requires two texts", "[two_texts]") {
  try {
    text_set("name: two_texts, train: {name: generated_text}, test: xor")->load(quiet_context());
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "'two_texts' needs data sets of text");
  }
}

}  // namespace yatlab
