#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/metric_doc.h"

namespace yatlab {

/// What plan.json and a report's summary.json hold of the metrics, in their order: [{"name": "test/loss", "title": "test loss", "unit": "nats",
/// "better": "lower", "format": "number", "shown": true}], what is unsaid left out.
nlohmann::ordered_json metric_docs_json(const std::vector<MetricDoc>& docs);
/// Its inverse. What is not of that form is passed over: metrics are described by their names then.
std::vector<MetricDoc> metric_docs_of(const nlohmann::ordered_json& list);

}  // namespace yatlab
