// Absurd numbers in every parameter that any component declares: planning refuses them, or they work.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/compose/composed_experiment.h"
#include "core/compose/frozen_arm.h"
#include "core/compose/identity.h"
#include "core/experiment/experiment_params.h"
#include "core/plan/check_arm.h"
#include "cost.h"
#include "helpers.h"

namespace yatlab {
namespace {

/// A declared number, or a list of numbers.
struct Number {
  std::string path;  ///< "target.at_least"
  const Field* field = nullptr;
  bool whole() const { return type() == FieldType::kInt; }
  FieldType type() const { return field->type == FieldType::kList ? field->item_type : field->type; }
  Node value(const Node& number) const { return field->type == FieldType::kList ? Node(Node::List{number}) : number; }
  /// The largest allowed value.
  Node largest() const {
    if (!whole()) return Node(field->exclusive_max ? std::nextafter(*field->max, 0.0) : field->max.value_or(3e38));
    if (field->unlimited) return Node(std::numeric_limits<std::int64_t>::max());
    return Node(field->max ? static_cast<std::int64_t>(*field->max) : kLargestInteger);
  }
};

std::vector<Number> numbers_of(const std::vector<Field>& fields, const std::string& prefix = {}) {
  std::vector<Number> out;
  for (const auto& field : fields) {
    const Number number{prefix + field.name, &field};
    if (number.type() == FieldType::kInt || number.type() == FieldType::kFloat) out.push_back(number);
    for (auto& inner : field.type == FieldType::kGroup ? numbers_of(field.fields, number.path + ".") : std::vector<Number>{})
      out.push_back(inner);
  }
  return out;
}

/// The error message about it; "" for none.
std::string refusal_of(const Number& number, const Node& value) {
  Field alone = *number.field;
  alone.fields.clear();
  Node map = Node::map();
  map.set(alone.name, number.value(value));
  try {
    Schema{{alone}}.check(map, "", true);
    return {};
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kConfig);
    return e.message();
  }
}

const std::vector<Node>& not_meant() {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  static const std::vector<Node> values = {Node(kInf),
                                           Node(-kInf),
                                           Node(std::nan("")),
                                           Node(std::numeric_limits<std::int64_t>::max()),
                                           Node(std::int64_t(1'000'000'000'000'000'000)),
                                           Node(std::numeric_limits<std::int64_t>::min())};
  return values;
}

/// Sets a value below a map, creating missing maps.
void set_path(Node& map, const std::string& path, const Node& value) {
  const auto dot = path.find('.');
  if (dot == std::string::npos) {
    map.set(path, value);
    return;
  }
  set_path(*map.find(path.substr(0, dot)), path.substr(dot + 1), value);
}

/// Limits the address space of planning: a machine that overcommits memory would begin to fill it.
class SomeMemory {
 public:
  SomeMemory() {
    ::getrlimit(RLIMIT_AS, &before_);
    if (testing::cost_is_distorted()) return;
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit some = before_;
    some.rlim_cur = std::min<rlim_t>(before_.rlim_max, pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (std::size_t(4) << 30));
    ::setrlimit(RLIMIT_AS, &some);
  }
  ~SomeMemory() { ::setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

/// Succeeds, or is refused as a config error, within some seconds.
template <class Try>
void works_or_is_refused(const Try& attempt) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    attempt();
  } catch (const Error& e) {
    INFO(e.what());
    CHECK(e.kind() == ErrorKind::kConfig);
  } catch (const std::exception& e) {
    FAIL_CHECK(e.what());
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

}  // namespace

TEST_CASE("numbers: every numeric parameter has limits unless it is marked unlimited", "[fields][numbers]") {
  std::size_t seen = 0;
  std::set<std::string> unlimited;
  const auto check = [&](const std::string& who, const std::vector<Field>& fields) {
    for (const auto& number : numbers_of(fields)) {
      ++seen;
      INFO(who << "." << number.path << ": " << number.field->type_text());
      if (number.field->unlimited) unlimited.insert(number.field->name);
      for (const auto& value : not_meant()) {
        INFO(value.to_flow());
        const auto said = refusal_of(number, value);
        const bool fits = !number.whole() ? std::isfinite(value.as_double()) || (number.field->unlimited && !std::isnan(value.as_double()))
                                          : value.is_int() && number.field->unlimited;
        if (!fits) CHECK(said.find(fmt::format("'{}", number.field->name)) == 0);
      }
      CHECK(refusal_of(number, number.largest()).empty());
      // Two counts can be multiplied without overflow.
      if (number.whole() && !number.field->unlimited && number.field->max.value_or(0) > kLargestInteger) CHECK(*number.field->max <= 1e15);
    }
  };
  check("", experiment_schema().fields);
  for (const auto& kind : component_kinds()) {
    for (const auto& component : component_table(kind).all()) check(kind + "/" + component.name, component.schema.fields);
  }
  CHECK(seen > 300);
  // Numbers that are not counts, and limits where large values mean "never".
  CHECK(unlimited == std::set<std::string>{"checkpoint_seconds", "diverged_above", "grad_clip", "order_seed", "seed", "split_seed"});
}

TEST_CASE("numbers: every component can be created with its largest values or rejects them", "[fields][numbers]") {
  const SomeMemory memory;
  for (const auto& kind : component_kinds()) {
    for (const auto& component : component_table(kind).all()) {
      Node spec;
      try {
        spec = component_table(kind).complete(Node(component.name));
        component.schema.check(spec, kind, true, {"name"});
      } catch (const Error&) {
        continue;  // it has required parameters
      }
      for (const auto& number : numbers_of(component.schema.fields)) {
        for (auto values = not_meant(); const auto* value = values.empty() ? nullptr : &values.back(); values.pop_back()) {
          if (!refusal_of(number, *value).empty()) continue;
          INFO(kind << "/" << component.name << "." << number.path << "=" << value->to_flow());
          Node given = spec;
          set_path(given, number.path, number.value(*value));
          works_or_is_refused([&] { component.create(given); });
        }
        INFO(kind << "/" << component.name << "." << number.path << "=" << number.largest().to_flow());
        Node given = spec;
        set_path(given, number.path, number.value(number.largest()));
        works_or_is_refused([&] { component.create(given); });
      }
    }
  }
}

TEST_CASE("numbers: every experiment can be planned with largest values or rejects them", "[plan][numbers][slow]") {
  const SomeMemory memory;
  std::set<std::string> tried;
  const fs::path source = YATLAB_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(source / "experiments")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "paper.yaml") continue;
    if (entry.path().filename() == "your_data.yaml") continue;  // it has no data until a user names some
    const ComposedExperiment composed(PlanRequest{entry.path(), {}, false, {source / "configs"}});
    const Node sweeper = composed.experiment().at("sweeper");
    for (const auto& arm : composed.arms()) {
      const auto frozen = frozen_arm(composed.compose(arm, composed.points(sweeper, arm.name).front()), arm.name);
      const auto look_at = [&](const std::string& who, const std::vector<Field>& fields, const std::function<Node*(FrozenArm&)>& place) {
        if (!tried.insert(who).second) return;
        for (const auto& number : numbers_of(fields)) {
          for (const auto& value : {number.largest(), Node(std::numeric_limits<std::int64_t>::max()), Node(1e18)}) {
            if (!refusal_of(number, value).empty()) continue;
            INFO(entry.path().filename() << ", arm " << arm.name << ": " << who << "." << number.path << "=" << value.to_flow());
            FrozenArm changed = frozen;
            set_path(*place(changed), number.path, number.value(value));
            works_or_is_refused([&] { ArmChecker().check(arm.name, changed); });
          }
        }
      };
      each_component(frozen.config, [&](const Component& component, const Node&, const std::string& path) {
        const auto* spec = frozen.config.find_path(path);
        if (spec && spec->is_map() && spec->has("name"))
          look_at(component.kind + "/" + component.name, component.schema.fields, [=](FrozenArm& a) { return a.config.find_path(path); });
      });
      for (std::size_t i = 0; i < frozen.analyses.size(); ++i) {
        const auto name = frozen.analyses.as_list()[i].at("name").as_string();
        look_at("analysis/" + name, component_table("analysis").at(name).schema.fields,
                [=](FrozenArm& a) { return &a.analyses.as_list()[i]; });
      }
      if (frozen.type->name() == std::string("training"))
        look_at("trainer", experiment_schema().find("trainer")->fields, [](FrozenArm& a) { return a.config.find("trainer"); });
    }
  }
  for (const char* who :
       {"trainer", "architecture/transformer", "architecture/mlp", "optimizer/adam", "schedule/cosine", "task/language_modeling"}) {
    INFO(who);
    CHECK(tried.count(who) == 1);
  }
}

}  // namespace yatlab
