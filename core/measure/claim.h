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

/// The inputs of a claim's check.
struct ClaimContext {
  /// The operator used in place of the paper's product. Statements are checked for it, whichever it is.
  OperatorChoice op;
  std::uint64_t seed = 0;
  /// 1 is the full search; smaller values make it shorter but otherwise the same.
  double effort = 1;
  /// share: progress in [0, 1]; what: the current activity.
  std::function<void(double share, const std::string& what)> progress = [](double, const std::string&) {};

  /// `full` points (restarts, samples, ...) at full effort, never fewer than `least`.
  std::int64_t scaled(std::int64_t full, std::int64_t least) const;
  /// Reports progress, and throws when the run was asked to stop. Call it about once a second.
  void tick(double share, const std::string& what) const { progress(share, what); }
};

/// One statement of the paper, checked numerically. Its component name is the paper's label. Its texts are in a file of its own
/// (core/measure/claim_text.h). Constants printed in the paper are parameters with the printed values as defaults, so that tests can plant a false
/// variant and see it fail.
///
/// `YATLAB_REGISTER(Claim, Lipschitz, "prop:lipschitz");` takes the text of the YAML file beside the source. Where none is embedded, as in a plugin
/// library, pass it: `YATLAB_REGISTER(Claim, Mine, "thm:mine", ClaimYaml{"title: ..."});`
class Claim {
 public:
  virtual ~Claim() = default;
  /// Measures, compares the measurements with bounds, and sets the values of the text. Deterministic in context.seed, whatever the load of the
  /// machine: times may be recorded, but decide nothing.
  virtual void check(const ClaimContext& context, Evidence& evidence) const = 0;
};

YATLAB_KIND(Claim, "claim", "a statement of the paper, checked numerically")

/// The text of a registered claim.
const ClaimText& claim_text(const std::string& label);
/// Checks the claim of `spec` (its name, or `{name: ..., <parameters>}`) and fills in its text.
CheckedClaim check_claim(const Node& spec, const ClaimContext& context);

struct ClaimYaml {
  const char* text;
};

namespace detail {
/// Reads the component's claim text and uses its statement as the component's documentation.
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
