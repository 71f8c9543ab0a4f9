#include "core/plan/arm_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace yatlab {

void ArmNames::add(const ArmNames& other) {
  known = known && other.known;
  results.insert(other.results.begin(), other.results.end());
  history.insert(other.history.begin(), other.history.end());
  artifacts.insert(other.artifacts.begin(), other.artifacts.end());
  describe(other.docs);
}

void ArmNames::describe(const std::vector<MetricDoc>& metrics) {
  for (const auto& metric : metrics) {
    const auto same = [&](const MetricDoc& one) { return one.name == metric.name; };
    if (std::none_of(docs.begin(), docs.end(), same)) docs.push_back(metric);
  }
}

void ArmNames::add_history(const std::vector<MetricDoc>& metrics) {
  for (const auto& metric : metrics) history.insert(metric.name);
  describe(metrics);
}

void ArmNames::add_results(const std::vector<MetricDoc>& metrics) {
  for (const auto& metric : metrics) results.insert(metric.name);
  describe(metrics);
}

void ArmNames::add(const FindingNames& found, const std::string& who) {
  for (const auto& metric : found.metrics) {
    if (!results.insert(metric.name).second) {
      throw config_error(fmt::format("{} produces the metric '{}', which already exists", who, metric.name), {},
                         "one would overwrite the other",
                         "remove one of them, or, if it has a parameter 'artifact', give it a different value");
    }
  }
  describe(found.metrics);
  for (const auto& artifact : found.artifacts) {
    if (!artifacts.insert(artifact).second) {
      throw config_error(fmt::format("{} produces the artifact '{}', which already exists", who, artifact), {},
                         "one would overwrite the other",
                         "remove one of them, or, if it has a parameter 'artifact', give it a different value");
    }
  }
}

}  // namespace yatlab
