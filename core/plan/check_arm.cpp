#include "core/plan/check_arm.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/failure.h"
#include "core/base/text.h"
#include "core/compose/identity.h"
#include "core/model/build_model.h"

namespace yatlab {
namespace {

/// Constructs every component that the arm's config names: each throws if its parameters do not fit together.
void construct(const ArmCheck& check) {
  const Node& config = check.frozen.config;
  each_component(config, [&](const Component& component, const Node& spec, const std::string& path) {
    const auto top = path.substr(0, path.find('.'));
    if (top == "studies") return;  // they are constructed later, in the check
    check.guarded(config.at(top), [&] {
      try {
        component_table(component.kind).create(spec);
      } catch (const Error& e) {
        throw Error(e.kind(), e.message(), config.find_path(e.where()) ? e.where() : path, e.why(), e.hint());
      }
    });
  });
}

void check_normalizer(const ArmCheck& check) {
  const auto& frozen = check.frozen;
  const auto& parts = check.parts;
  const auto& arm = check.name;
  if (!parts.normalizer || !parts.op || !parts.normalizer->needs_non_negative() || parts.op->traits().non_negative) return;
  std::vector<std::string> operators, normalizers;
  for (const auto& c : Registry<Operator>::table().all()) {
    try {
      if (Registry<Operator>::create(Node(c.name))->traits().non_negative) operators.push_back(c.name);
    } catch (const Error&) {  // it has required parameters, so it cannot be proposed
    }
  }
  for (const auto& c : Registry<Normalizer>::table().all()) {
    try {
      if (!Registry<Normalizer>::create(Node(c.name))->needs_non_negative()) normalizers.push_back(c.name);
    } catch (const Error&) {
    }
  }
  const Node &normalizer = frozen.config.at("normalizer"), &op = frozen.config.at("operator");
  const auto chosen = frozen.chosen_by.find("normalizer");
  throw config_error(
      fmt::format("arm '{}': normalizer '{}' does not support the scores of operator '{}'", arm, normalizer.at("name").as_string(),
                  op.at("name").as_string()),
      chosen != frozen.chosen_by.end() ? chosen->second : normalizer.origin().describe(),
      "it needs scores >= 0, but this operator's scores can be negative",
      fmt::format("use one of the operators {} or one of the normalizers {}", join(operators, ", "), join(normalizers, ", ")));
}

/// An operator's scores of two inputs and three weights.
void check_scores(const Operator& op, const Node& spec) {
  const auto name = spec.at("name").as_string();
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(1);
  const Tensor x = at::randn({2, 4}, generator), w = at::randn({3, 4}, generator);
  Tensor scores;
  try {
    scores = op.scores(x, w);
  } catch (const std::exception&) {
    throw refusal(fmt::format("operator '{}' fails on inputs [2, 4] and weights [3, 4]", name), {},
                  "scores(x: [B, d], w: [n, d]) must return [B, n]");
  }
  if (scores.sizes() != at::IntArrayRef({2, 3})) {
    throw config_error(
        fmt::format("operator '{}' returns scores of shape {} for inputs [2, 4] and weights [3, 4]", name, shape_text(scores.sizes())), {},
        {}, "scores(x: [B, d], w: [n, d]) must return [B, n]");
  }
}

}  // namespace

std::string shape_text(at::IntArrayRef shape) { return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", ")); }

Error refusal(std::string what, const std::string& where, const std::string& hint) {
  const auto cause = current_error();
  return cause.kind() == ErrorKind::kConfig ? cause : config_error(std::move(what), where, cause.message(), hint);
}

Error ArmCheck::placed(const Error& e, const Node& node) const {
  const Node* exact = e.where().empty() ? nullptr : frozen.config.find_path(e.where());
  const Node& at = exact ? *exact : node;
  auto place = at.origin().describe();
  for (const auto& [key, by] : frozen.chosen_by) {
    if (frozen.config.find(key) == &at) place = by;
  }
  if (!place.empty()) place = ", " + place;
  return Error(e.kind(), e.message(), fmt::format("arm '{}'{}{}", name, place, exact || e.where().empty() ? "" : ", " + e.where()), e.why(),
               e.hint());
}

ArmNames ArmChecker::check(const std::string& arm, const FrozenArm& frozen) {
  ArmCheck check(arm, frozen, rehearsed_);
  construct(check);
  if (const Node& spec = frozen.config.at("operator"); !spec.is_null()) {
    check.parts.operator_spec = spec;
    check.parts.op = Registry<Operator>::create(spec);
    check.guarded(spec, [&] { check_scores(*check.parts.op, spec); });
  }
  if (const Node* spec = frozen.config.find("normalizer")) {
    check.parts.normalizer = optional_component<Normalizer>(*spec);
    check_normalizer(check);
  }
  return frozen.type->check(check);
}

}  // namespace yatlab
