#include "core/verdict/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"

namespace yatlab {
namespace {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, const char*>, N>;

constexpr Names<Role, 5> kRoles = {{{Role::kCore, "core"},
                                    {Role::kDetail, "detail"},
                                    {Role::kReading, "reading"},
                                    {Role::kCorrected, "corrected"},
                                    {Role::kContext, "context"}}};
constexpr Names<Relation, 4> kRelations = {
    {{Relation::kAtMost, "<="}, {Relation::kAtLeast, ">="}, {Relation::kEqual, "="}, {Relation::kNone, ""}}};
constexpr Names<ClaimStatus, 6> kStatuses = {{{ClaimStatus::kHolds, "holds"},
                                              {ClaimStatus::kCaveat, "holds with a caveat"},
                                              {ClaimStatus::kInexact, "inexact"},
                                              {ClaimStatus::kPartlyFalse, "partly false"},
                                              {ClaimStatus::kRefuted, "refuted"},
                                              {ClaimStatus::kNotCheckable, "not checkable"}}};

constexpr std::pair<const char*, std::string ClaimWords::*> kWords[] = {{"counterexample", &ClaimWords::counterexample},
                                                                        {"corrected", &ClaimWords::corrected},
                                                                        {"reading", &ClaimWords::reading},
                                                                        {"tried", &ClaimWords::tried},
                                                                        {"out_of_reach", &ClaimWords::out_of_reach}};

template <class Enum, std::size_t N>
const char* name_of(const Names<Enum, N>& names, Enum value) {
  return std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == value; })->second;
}
template <class Enum, std::size_t N>
Enum value_of(const Names<Enum, N>& names, const std::string& name) {
  const auto it = std::find_if(names.begin(), names.end(), [&](const auto& n) { return name == n.second; });
  if (it == names.end()) throw data_error(fmt::format("unknown value '{}'", name), "claim.json");
  return it->first;
}

/// The distance of a passed check from failing, relative to its bound.
double margin(const Check& check) {
  const double scale = std::max({std::abs(check.bound), check.tolerance, 1e-300});
  switch (check.relation) {
    case Relation::kAtMost:
      return (check.bound + check.tolerance - check.value) / scale;
    case Relation::kAtLeast:
      return (check.value - check.bound + check.tolerance) / scale;
    case Relation::kEqual:
      return (check.tolerance - std::abs(check.value - check.bound)) / scale;
    case Relation::kNone:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

// JSON has no NaN or infinity, so these are written as text.
nlohmann::ordered_json number_or_text(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
double number_from(const nlohmann::json& json) {
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text != "inf" && text != "-inf") throw data_error(fmt::format("'{}' is not a number", text), "claim.json");
  return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

}  // namespace

const char* to_string(ClaimStatus status) { return name_of(kStatuses, status); }

bool Check::passed() const {
  switch (relation) {
    case Relation::kAtMost:
      return value <= bound + tolerance;
    case Relation::kAtLeast:
      return value >= bound - tolerance;
    case Relation::kEqual:
      return std::abs(value - bound) <= tolerance || (std::isinf(bound) && value == bound);
    case Relation::kNone:
      break;
  }
  return true;
}

std::string Check::comparison() const {
  if (relation == Relation::kNone) return fmt::format("{:.4g}", value);
  const char* const sign = passed() ? (relation == Relation::kAtMost    ? "<="
                                       : relation == Relation::kAtLeast ? ">="
                                                                        : "=")
                                    : (relation == Relation::kAtMost    ? ">"
                                       : relation == Relation::kAtLeast ? "<"
                                                                        : "!=");
  std::string left = fmt::format("{:.4g}", value), right = fmt::format("{:.4g}", bound);
  // Different numbers must not be printed alike.
  for (int digits = 5; left == right && value != bound && digits <= 17; ++digits) {
    left = fmt::format("{:.{}g}", value, digits);
    right = fmt::format("{:.{}g}", bound, digits);
  }
  return fmt::format("{} {} {}{}", left, sign, right, tolerance > 0 ? fmt::format(" (tolerance {:.2g})", tolerance) : "");
}

void Evidence::at_most(Role role, std::string what, double value, double bound, double tolerance, std::string where) {
  add({std::move(what), role, Relation::kAtMost, value, bound, tolerance, std::move(where)});
}
void Evidence::at_least(Role role, std::string what, double value, double bound, double tolerance, std::string where) {
  add({std::move(what), role, Relation::kAtLeast, value, bound, tolerance, std::move(where)});
}
void Evidence::equals(Role role, std::string what, double value, double bound, double tolerance, std::string where) {
  add({std::move(what), role, Relation::kEqual, value, bound, tolerance, std::move(where)});
}
void Evidence::is_true(Role role, std::string what, bool value, std::string where) {
  add({std::move(what), role, Relation::kEqual, value ? 1.0 : 0.0, 1.0, 0.0, std::move(where)});
}
void Evidence::note(std::string what, double value, std::string where) {
  add({std::move(what), Role::kContext, Relation::kNone, value, 0, 0, std::move(where)});
}
void Evidence::set(const std::string& name, double value) { set(name, std::isnan(value) ? "NaN" : fmt::format("{:.4g}", value)); }
void Evidence::add(Check check) {
  if (check.role == Role::kCore && check.part.empty()) check.part = part_;
  checks_.push_back(std::move(check));
}
void Evidence::drop(Role role) {
  checks_.erase(std::remove_if(checks_.begin(), checks_.end(), [&](const Check& c) { return c.role == role; }), checks_.end());
}

Evidence::Parts Evidence::parts() const {
  Parts out;
  std::map<std::string, bool> named;  // false if any check of the part fails
  for (const auto& check : checks_) {
    if (check.role != Role::kCore || check.relation == Relation::kNone) continue;
    if (!check.part.empty()) {
      auto& holds = named.emplace(check.part, true).first->second;
      holds = holds && check.passed();
      continue;
    }
    ++out.all;
    out.wrong += !check.passed();
  }
  for (const auto& [name, holds] : named) out.wrong += !holds;
  out.all += named.size();
  return out;
}

std::string Evidence::status_text() const {
  const auto verdict = status();
  if (verdict != ClaimStatus::kPartlyFalse) return to_string(verdict);
  return fmt::format("{} of {} parts false", parts().wrong, parts().all);
}

ClaimStatus Evidence::status() const {
  const auto failed = [&](Role role) {
    return std::any_of(checks_.begin(), checks_.end(), [&](const Check& c) { return c.role == role && !c.passed(); });
  };
  const bool decidable = std::any_of(checks_.begin(), checks_.end(), [](const Check& c) {
    return c.relation != Relation::kNone && (c.role == Role::kCore || c.role == Role::kDetail || c.role == Role::kReading);
  });
  if (!decidable) return ClaimStatus::kNotCheckable;
  if (failed(Role::kCore)) return parts().wrong == parts().all ? ClaimStatus::kRefuted : ClaimStatus::kPartlyFalse;
  if (failed(Role::kDetail)) return ClaimStatus::kInexact;
  if (failed(Role::kReading)) return ClaimStatus::kCaveat;
  return ClaimStatus::kHolds;
}

const Check* Evidence::decisive() const {
  for (const Role role : {Role::kCore, Role::kDetail, Role::kReading}) {
    for (const auto& check : checks_) {
      if (check.role == role && !check.passed()) return &check;
    }
  }
  for (const Role role : {Role::kCore, Role::kDetail, Role::kReading}) {
    const Check* tightest = nullptr;
    for (const auto& check : checks_) {
      if (check.role != role || check.relation == Relation::kNone) continue;
      if (!tightest || margin(check) < margin(*tightest)) tightest = &check;
    }
    if (tightest) return tightest;
  }
  return checks_.empty() ? nullptr : &checks_.front();
}

std::vector<const Check*> Evidence::failed_corrections() const {
  std::vector<const Check*> out;
  for (const auto& check : checks_) {
    if (check.role == Role::kCorrected && !check.passed()) out.push_back(&check);
  }
  return out;
}

bool is_numbered(const std::string& label) {
  const auto kind = label.substr(0, label.find(':'));
  const auto kinds = {"thm", "prop", "lem", "cor", "rem"};
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

nlohmann::ordered_json claim_to_json(const CheckedClaim& claim) {
  const auto& e = claim.evidence;
  nlohmann::ordered_json out{{"schema", 1},          {"label", claim.label},         {"numbered", is_numbered(claim.label)},
                             {"title", claim.title}, {"statement", claim.statement}, {"how", claim.how},
                             {"operator", claim.op}, {"status", e.status_text()}};
  out["checks"] = nlohmann::ordered_json::array();
  for (const auto& c : e.checks()) {
    out["checks"].push_back({{"what", c.what},
                             {"role", name_of(kRoles, c.role)},
                             {"value", number_or_text(c.value)},
                             {"relation", name_of(kRelations, c.relation)},
                             {"bound", number_or_text(c.bound)},
                             {"tolerance", number_or_text(c.tolerance)},
                             {"passed", c.passed()},
                             {"where", c.where}});
    if (!c.part.empty()) out["checks"].back()["part"] = c.part;
  }
  for (const auto& [key, word] : kWords) out[key] = claim.words.*word;
  if (!claim.place.empty()) out["place"] = claim.place;
  return out;
}

CheckedClaim claim_from_json(const nlohmann::json& json) {
  try {
    CheckedClaim out{json.at("label"), json.at("title"), json.at("statement"), json.at("how"), json.at("operator"), {}};
    for (const auto& c : json.at("checks")) {
      out.evidence.add({c.at("what"), value_of(kRoles, c.at("role")), value_of(kRelations, c.at("relation")), number_from(c.at("value")),
                        number_from(c.at("bound")), number_from(c.at("tolerance")), c.at("where"), c.value("part", "")});
    }
    for (const auto& [key, word] : kWords) out.words.*word = json.value(key, "");
    out.place = json.value("place", "");
    return out;
  } catch (const nlohmann::json::exception& e) {
    throw data_error("this is not a checked claim", "claim.json", e.what());
  }
}

}  // namespace yatlab
