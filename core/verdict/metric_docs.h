#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/metric_doc.h"

namespace yatlab {

/// The metrics, in order, for plan.json and a report's summary.json: [{"name": "test/loss", "title": "test loss", "unit": "nats", "better": "lower",
/// "format": "number", "shown": true}], without undefined keys.
nlohmann::ordered_json metric_docs_json(const std::vector<MetricDoc>& docs);
/// Its inverse. Skips malformed entries, whose metrics are then described by their names.
std::vector<MetricDoc> metric_docs_of(const nlohmann::ordered_json& list);

}  // namespace yatlab
