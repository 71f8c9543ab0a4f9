#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

/// Which way a metric is good. Metrics without a direction (a norm's change, a learned scale) cannot be
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

/// A number that a task, an analysis or a study measures, and what its source says of it. Tables, axes, comparisons and trackers go by it
/// where the experiment's `metrics:` says nothing else. What is left unsaid follows from the name, as `default_metric_info` has it.
///
///     MetricDoc("ece").called("expected calibration error").lower().percent().shown()
struct MetricDoc {
  std::string name;
  std::string title;  ///< how tables and figures call it; "": its name, made readable
  std::string unit;   ///< "nats": behind the title on axes; "" for numbers without one
  std::optional<Direction> better;
  std::optional<NumberFormat> format;
  bool tabulated = false;  ///< a column of the table of experiments that spell out none

  MetricDoc(std::string of) : name(std::move(of)) {}  // NOLINT: a bare name says enough
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

/// Each under `prefix` + its name ("inverted/accuracy"), called by `title` with its own title, or its name, in place of {}: "test {}".
std::vector<MetricDoc> with_prefix(const std::string& prefix, std::vector<MetricDoc> metrics, const std::string& title = {});
/// Their names, in the same order.
std::vector<std::string> names_of(const std::vector<MetricDoc>& metrics);

/// Scalars and files that an analysis or a study leaves.
struct FindingNames {
  std::vector<MetricDoc> metrics = {};
  std::vector<std::string> artifacts = {};
};

}  // namespace yatlab
