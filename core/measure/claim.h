#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include "core/measure/claim_text.h"
#include "core/measure/operator_choice.h"
#include "core/registry/registry.h"
#include "core/verdict/evidence.h"

namespace yatlab {

/// What a claim is checked with.
struct ClaimContext {
  /// The operator that stands where the paper has its product. Statements are checked for it, whatever it is.
  OperatorChoice op;
  std::uint64_t seed = 0;
  /// 1 is the full search; smaller values make it shorter, never different in kind.
  double effort = 1;
  /// share in [0, 1] and what is being done.
  std::function<void(double share, const std::string& what)> progress = [](double, const std::string&) {};

  /// `full` points (restarts, samples, ...) at full effort, never fewer than `least`.
  std::int64_t scaled(std::int64_t full, std::int64_t least) const;
  /// Reports progress, and gives up (throws) when the run was told to stop. Call it every second or so.
  void tick(double share, const std::string& what) const { progress(share, what); }
};

/// One statement of the paper, checked numerically. Its component name is the paper's label. All that is said of it stands in a text of its own
/// (core/measure/claim_text.h). Constants that the paper prints are parameters whose defaults are the printed values, so that a false variant
/// can be planted and seen to fail.
///
/// `YATLAB_REGISTER(Claim, Lipschitz, "prop:lipschitz");` takes the text of the YAML file beside the source. Where none is embedded, as in a
/// plugin library, it is handed over: `YATLAB_REGISTER(Claim, Mine, "thm:mine", ClaimYaml{"title: ..."});`
class Claim {
 public:
  virtual ~Claim() = default;
  /// Measures, holds what it measures against bounds, and sets the values of the text. Deterministic in context.seed, whatever else the
  /// machine does: times may be noted, but decide nothing.
  virtual void check(const ClaimContext& context, Evidence& evidence) const = 0;
};

YATLAB_KIND(Claim, "claim", "a statement of the paper, checked numerically")

/// What is said of a registered claim.
const ClaimText& claim_text(const std::string& label);
/// Checks the claim of `spec` (its name, or `{name: ..., <parameters>}`) and puts it into words.
CheckedClaim check_claim(const Node& spec, const ClaimContext& context);

struct ClaimYaml {
  const char* text;
};

namespace detail {
/// Takes the component's text, whose statement becomes its documentation.
void describe_claim(Component& component);

template <class C>
int register_claim(const char* file, int line, const char* name, const char* text) noexcept {
  const auto describe = [](Component& component) {
    describe_component<Claim, C>(component);
    describe_claim(component);
  };
  return defer_registration({KindOf<Claim>::name, KindOf<Claim>::doc, file, line, name, text, describe}, {});
}

template <class Interface, class C, class = std::enable_if_t<std::is_same_v<Interface, Claim>>>
int register_component(const char* file, int line, const char* name, ClaimYaml yaml = {""}) noexcept {
  return register_claim<C>(file, line, name, yaml.text);
}
}  // namespace detail

}  // namespace yatlab
