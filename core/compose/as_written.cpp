#include "core/compose/as_written.h"

#include "core/experiment/experiment_params.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/compose/identity.h"
#include "core/compose/sweeper.h"
#include "core/config/interpolation.h"

namespace yatlab {
namespace {

std::string head_of(const Override& o) { return o.key.substr(0, o.key.find_first_of("./")); }

bool defines_arms(const Override& o) { return head_of(o) == "arms" || head_of(o) == "families"; }

/// The arm of that name; nullptr if there is none.
const Arm* find_arm(const std::vector<Arm>& arms, const std::string& name) {
  const auto it = std::find_if(arms.begin(), arms.end(), [&](const Arm& arm) { return arm.name == name; });
  return it == arms.end() ? nullptr : &*it;
}

std::string hash_of_job(const FrozenArm& frozen) { return job_hash(frozen.config, *frozen.type); }

/// The identity of the arm, with all its analyses and parts.
std::string whole_of(const FrozenArm& frozen) {
  std::string out = identity_of(frozen);
  for (const auto& part : frozen.parts) out += "\n" + dump_json(to_json(part.value));
  return out;
}

std::string name_of(const Node& spec) { return spec.is_map() ? spec.at("name").as_string() : spec.as_string(); }

bool searches(const ComposedExperiment& composed) {
  return Registry<Sweeper>::create(resolve_at(composed.base().config, "sweeper"))->search().has_value();
}

/// The part of a point whose keys the file sweeps too.
SweepPoint swept_there(const SweepPoint& point, const ComposedExperiment& file) {
  SweepPoint out;
  for (const auto& o : point) {
    const auto& all = file.dimensions();
    const bool known = std::any_of(all.begin(), all.end(), [&](const Dimension& d) {
      const auto keys = d.keys();
      return std::find(keys.begin(), keys.end(), o.address()) != keys.end();
    });
    if (known) out.push_back(o);
  }
  return out;
}

}  // namespace

AsWritten::AsWritten(const PlanRequest& request) : request_(request) {
  for (const auto& text : request.overrides) {
    given_.push_back(parse_override(text, "command line"));
    if (may_change_results(given_.back().key)) candidates_.push_back(given_.size() - 1);
  }
}

namespace {

/// Null if it cannot be composed.
std::shared_ptr<const ComposedExperiment> composed_with(PlanRequest request, std::vector<std::string> overrides) {
  request.overrides = std::move(overrides);
  try {
    return std::make_shared<const ComposedExperiment>(request);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

const ComposedExperiment* AsWritten::file() {
  if (!file_) {
    std::vector<std::string> scale;
    for (const auto& o : given_) {
      if (o.key == "scale") scale.push_back(o.text);
    }
    file_ = composed_with(request_, std::move(scale));
  }
  return file_->get();
}

const ComposedExperiment* AsWritten::file_with_arms() {
  if (!file_with_arms_) {
    std::vector<std::string> some;
    for (const auto& o : given_) {
      if (o.key == "scale" || defines_arms(o)) some.push_back(o.text);
    }
    file_with_arms_ = composed_with(request_, std::move(some));
  }
  return file_with_arms_->get();
}

const ComposedExperiment* AsWritten::file_of(const std::string& arm) {
  const auto* plain = file();
  if (!plain) return nullptr;
  const auto arms = plain->arms();
  return find_arm(arms, arm) ? plain : file_with_arms();
}

const AsWritten::Written* AsWritten::written(const std::string& arm) {
  auto& known = written_[arm];
  if (known) return known->get();
  known = std::shared_ptr<const Written>();
  try {
    const auto* composed = file_of(arm);
    if (!composed) return nullptr;
    const auto arms = composed->arms();
    const Arm* own = find_arm(arms, arm);
    if (!own) return nullptr;
    auto out = std::make_shared<Written>();
    for (const auto& point : composed->points(resolve_at(composed->base().config, "sweeper"), arm)) {
      const auto frozen = frozen_arm(composed->compose(*own, point), arm);
      out->jobs.insert(hash_of_job(frozen));
      out->whole.insert(whole_of(frozen));
      for (const auto& spec : frozen.analyses.as_list()) out->analyses[name_of(spec)].insert(dump_json(to_json(spec)));
      for (const auto& part : frozen.parts) {
        if (!part.key.empty()) out->parts[name_of(part.value)].insert(dump_json(to_json(part.value)));
      }
    }
    known = std::shared_ptr<const Written>(std::move(out));
  } catch (const Error&) {  // the file leaves values open that the command line provides
  }
  return known->get();
}

bool AsWritten::is_written(const Arm& arm, const SweepPoint& point, const FrozenArm& frozen) {
  const auto* there = written(arm.name);
  if (!there) return false;
  const auto hash = hash_of_job(frozen);
  bool same = there->jobs.count(hash) > 0;
  if (!same && file_of(arm.name) && searches(*file_of(arm.name))) {  // in a search, any point of its space belongs to the file
    const auto& composed = *file_of(arm.name);
    const auto arms = composed.arms();
    try {
      same = hash == hash_of_job(frozen_arm(composed.compose(*find_arm(arms, arm.name), swept_there(point, composed)), arm.name));
    } catch (const Error&) {
      same = false;
    }
  }
  return same && std::all_of(frozen.parts.begin(), frozen.parts.end(), [&](const JobPart& part) {
           if (part.key.empty()) return true;
           const auto as_set = there->parts.find(name_of(part.value));
           return as_set == there->parts.end() || as_set->second.count(dump_json(to_json(part.value))) > 0;
         });
}

/// Whether the arm's job would differ without override `i`.
bool AsWritten::matters(std::size_t i, const Arm& arm, const SweepPoint& point, const std::string& hash) {
  auto& without = without_[i];
  if (!without) {
    std::vector<std::string> others;
    for (std::size_t k = 0; k < given_.size(); ++k) {
      if (k != i) others.push_back(given_[k].text);
    }
    without = composed_with(request_, std::move(others));
  }
  // If leaving it out fails, the arm may need it; this is unlikely for lists of other arms.
  const bool by_name = !defines_arms(given_[i]) || given_[i].key == "arms." + arm.name;
  if (!*without) return by_name;
  try {
    const auto arms = (*without)->arms();
    const Arm* own = find_arm(arms, arm.name);
    return !own || hash_of_job(frozen_arm((*without)->compose(*own, point), arm.name)) != hash;
  } catch (const Error&) {
    return by_name;
  }
}

std::vector<std::string> AsWritten::responsible(const Arm& arm, const SweepPoint& point, const std::string& hash) {
  const auto of_point = [&](const Override& o) {
    return std::any_of(point.begin(), point.end(), [&](const Override& p) { return p.address() == o.address(); });
  };
  const bool new_arm = file() && file_of(arm.name) != file();
  std::vector<std::size_t> fixed;
  for (const auto i : candidates_) {
    const Override& o = given_[i];
    if (o.is_sweep() || head_of(o) == "sweep" || (new_arm && defines_arms(o))) continue;
    fixed.push_back(i);
  }
  std::string key = arm.name;
  for (const auto& o : point) key += "\n" + o.address();
  const auto [known, fresh] = responsible_.emplace(key, std::vector<std::string>());
  if (fresh) {
    std::set<std::size_t> found;
    for (const auto i : fixed) {
      if (matters(i, arm, point, hash)) found.insert(i);
    }
    for (const auto i : candidates_) {
      if ((given_[i].is_sweep() && of_point(given_[i])) || (head_of(given_[i]) == "sweep" && !point.empty())) found.insert(i);
    }
    // If several have the same effect, none of them matters alone.
    if (found.empty()) found.insert(fixed.begin(), fixed.end());
    if (found.empty()) found.insert(candidates_.begin(), candidates_.end());
    for (const auto i : found) known->second.push_back(given_[i].text);
  }
  return known->second;
}

ProtocolChange AsWritten::change_of(const Arm& arm, const SweepPoint& point, const FrozenArm& frozen) {
  ProtocolChange out;
  if (candidates_.empty()) return out;
  seen_[arm.name].insert(whole_of(frozen));
  if (!is_written(arm, point, frozen)) out.training = responsible(arm, point, hash_of_job(frozen));
  const auto* there = written(arm.name);
  for (const auto& spec : frozen.analyses.as_list()) {
    if (!there) break;
    const auto as_set = there->analyses.find(name_of(spec));
    if (as_set == there->analyses.end() || as_set->second.count(dump_json(to_json(spec))) > 0) continue;
    auto& texts = out.analyses[name_of(spec)];
    for (const auto i : candidates_) {
      if (head_of(given_[i]) == "analyses") texts.push_back(given_[i].text);
    }
    if (!texts.empty()) continue;
    for (const auto i : candidates_) texts.push_back(given_[i].text);  // from a group, or from an arm's own overrides
  }
  return out;
}

std::vector<std::string> AsWritten::added(const std::vector<Arm>& arms) {
  std::vector<std::string> out;
  if (std::none_of(candidates_.begin(), candidates_.end(), [&](std::size_t i) { return head_of(given_[i]) == "arms"; })) return out;
  const auto there = file() ? file()->arms() : std::vector<Arm>();
  for (const auto& arm : arms) {
    const bool by_name = std::any_of(given_.begin(), given_.end(), [&](const Override& o) {
      return o.key == "arms." + arm.name && (o.kind == OverrideKind::kAdd || o.kind == OverrideKind::kForceAdd);
    });
    if (file() ? !find_arm(there, arm.name) : by_name) out.push_back(arm.name);
  }
  return out;
}

bool AsWritten::is_whole(const std::vector<Arm>& arms, bool search) {
  if (candidates_.empty()) return true;
  if (search || !file()) return false;
  const auto there = file()->arms();
  const bool same = arms.size() == there.size() &&
                    std::equal(arms.begin(), arms.end(), there.begin(), [](const Arm& a, const Arm& b) { return a.name == b.name; });
  return same && std::all_of(arms.begin(), arms.end(), [&](const Arm& arm) {
           const auto* as_set = written(arm.name);
           return as_set && as_set->whole == seen_[arm.name];
         });
}

}  // namespace yatlab
