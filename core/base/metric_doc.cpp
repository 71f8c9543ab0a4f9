#include "core/base/metric_doc.h"

#include <algorithm>

namespace yatlab {

std::vector<MetricDoc> with_prefix(const std::string& prefix, std::vector<MetricDoc> metrics, const std::string& title) {
  for (auto& metric : metrics) {
    if (!title.empty()) {
      std::string own = metric.title.empty() ? metric.name : metric.title;
      if (metric.title.empty()) std::replace(own.begin(), own.end(), '_', ' ');
      const auto place = title.find("{}");
      metric.title = place == std::string::npos ? title : title.substr(0, place) + own + title.substr(place + 2);
    }
    metric.name = prefix + metric.name;
  }
  return metrics;
}

std::vector<std::string> names_of(const std::vector<MetricDoc>& metrics) {
  std::vector<std::string> out;
  for (const auto& metric : metrics) out.push_back(metric.name);
  return out;
}

}  // namespace yatlab
