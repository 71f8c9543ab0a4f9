#include "core/plan/idle_overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/error.h"
#include "core/config/interpolation.h"
#include "core/plan/sweep_guards.h"

namespace yatlab {

void IdleOverrides::see(const Composition& composition) {
  ++compositions_;
  warnings_.insert(composition.warnings.begin(), composition.warnings.end());
  for (const auto& text : std::set<std::string>(composition.skipped.begin(), composition.skipped.end())) ++skipped_[text];
}

std::size_t IdleOverrides::times_skipped(const std::string& text) const {
  const auto it = skipped_.find(text);
  return it == skipped_.end() ? 0 : it->second;
}

void IdleOverrides::refuse(const std::vector<Arm>& arms, const SweepPoint& point) const {
  for (const auto& o : composed_.command_line()) {
    if (!nowhere(o.text)) continue;
    composed_.compose(arms.front(), point, o.text);
    throw config_error(fmt::format("'{}' does not apply to any arm", o.text), "command line");
  }
}

std::vector<std::string> IdleOverrides::notices(const std::vector<Arm>& arms) const {
  std::vector<std::string> out;
  const auto& known = composed_.base().warnings;
  std::copy_if(warnings_.begin(), warnings_.end(), std::back_inserter(out),
               [&](const std::string& text) { return std::find(known.begin(), known.end(), text) == known.end(); });
  for (const auto& o : composed_.command_line()) {
    if (times_skipped(o.text) == 0) continue;
    out.push_back(fmt::format("{} does not apply to every arm; arms without that key keep their own settings", o.text));
  }
  note_scale(arms, out);
  return out;
}

void IdleOverrides::note_scale(const std::vector<Arm>& arms, std::vector<std::string>& out) const {
  const bool alone = std::all_of(composed_.command_line().begin(), composed_.command_line().end(),
                                 [](const Override& o) { return o.key == "scale" || o.key == "seeds"; });
  for (const auto& o : composed_.scale_overrides()) {
    const bool overruled = std::all_of(arms.begin(), arms.end(), [&](const Arm& arm) {
      return std::any_of(arm.overrides.begin(), arm.overrides.end(),
                         [&](const Override& own) { return own.kind == OverrideKind::kChange && own.address() == o.address(); });
    });
    if (!overruled && !nowhere(o.text)) continue;
    const auto what = fmt::format("scale '{}': {} does not apply to any arm", composed_.scale(), o.text);
    const std::string why = overruled ? "every arm sets it itself" : "no arm has that key";
    if (alone) {
      throw config_error(what, composed_.base().config.at("scales").at(composed_.scale()).origin().describe(), why,
                         "remove it from the scale");
    }
    out.push_back(fmt::format("{} ({})", what, why));
  }
}

void refuse_idle_overrides(const ComposedExperiment& composed) {
  const auto arms = composed.arms();
  refuse_to_replace_an_arm(composed, arms);
  const Node sweeper = resolve_at(composed.base().config, "sweeper");
  IdleOverrides idle(composed);
  for (const auto& arm : arms) {
    for (const auto& point : composed.points(sweeper, arm.name)) idle.see(composed.compose(arm, point));
  }
  idle.refuse(arms, composed.points(sweeper, arms.front().name).front());
}

}  // namespace yatlab
