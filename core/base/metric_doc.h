#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

/// Which values of a metric are better. Metrics without a direction (a norm's change, a learned scale) cannot be
/// better or worse than the paper's: they "differ".
enum class Direction { kHigher, kLower, kNone };

/// How a metric's values are printed.
enum class NumberFormat {
  kNumber,         ///< 2.69
  kSigned,         ///< +2.69
  kPercent,        ///< 92.30 %       (0.923)
  kSignedPercent,  ///< +13.1 %       (0.131)
  kInteger,        ///< 4690
  kScientific,     ///< 1.25e-05
};

/// A metric of a task, an analysis or a study, as its source documents it. Tables, axes, comparisons and trackers use it
/// unless the experiment's `metrics:` says otherwise. Missing parts follow from the name: see `default_metric_info`.
///
///     MetricDoc("ece").called("expected calibration error").lower().percent().shown()
struct MetricDoc {
  std::string name;
  std::string title;  ///< its name in tables and figures; "": its key, made readable
  std::string unit;   ///< "nats": appended to the title on axes; "" if there is none
  std::optional<Direction> better;
  std::optional<NumberFormat> format;
  bool tabulated = false;  ///< is a column in tables of experiments that do not list columns

  MetricDoc(std::string of) : name(std::move(of)) {}  // NOLINT: a bare name is enough
  MetricDoc(const char* of) : name(of) {}             // NOLINT

  MetricDoc& called(std::string text) { return title = std::move(text), *this; }
  MetricDoc& in(std::string text) { return unit = std::move(text), *this; }
  MetricDoc& higher() { return better = Direction::kHigher, *this; }
  MetricDoc& lower() { return better = Direction::kLower, *this; }
  MetricDoc& neither() { return better = Direction::kNone, *this; }
  MetricDoc& as(NumberFormat way) { return format = way, *this; }
  MetricDoc& percent() { return as(NumberFormat::kPercent); }
  MetricDoc& shown() { return tabulated = true, *this; }
};

/// Each metric under `prefix` + its name ("inverted/accuracy"). In `title`, {} is replaced by its own title, or else its name: "test {}".
std::vector<MetricDoc> with_prefix(const std::string& prefix, std::vector<MetricDoc> metrics, const std::string& title = {});
/// Their names, in the same order.
std::vector<std::string> names_of(const std::vector<MetricDoc>& metrics);

/// The scalars and files that an analysis or a study produces.
struct FindingNames {
  std::vector<MetricDoc> metrics = {};
  std::vector<std::string> artifacts = {};
};

}  // namespace yatlab
