#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/report/plot_tools.h"
#include "core/verdict/format.h"

namespace yatlab {

// Shared by the figures that draw the artifacts of studies and analyses, one row or panel for each arm.

/// Which artifact to draw, and which study or analysis wrote it.
struct ArtifactParams {
  std::string artifact;
  std::optional<std::int64_t> seed;
  std::vector<std::string> arms;
  Node at = Node::map();
  explicit ArtifactParams(std::string name) : artifact(std::move(name)) {}
  static void declare(Fields& f, ArtifactParams& p) {
    f.field("artifact", p.artifact, "name of the artifact to draw");
    f.field("seed", p.seed, "seed whose artifact is drawn; null, or where it is missing: the lowest seed that completed").unlimited();
    f.field("arms", p.arms, "which arms; empty: all");
    f.map("at", p.at, "in a sweep: only these points, as {parameter: value}");
  }
};

/// Calls draw(json) with the artifact of a job; throws the plot's usual error for keys that are missing or of another type.
template <class F>
void draw_artifact(const RunView& run, const PlotRequest& request, const JobView& job, const std::string& name, F draw) {
  const auto json = plot_artifact(run, request, job, name);
  try {
    draw(json);
  } catch (const nlohmann::json::exception& e) {
    throw plot_error(run, request, fmt::format("artifact '{}' of {} does not have the expected format: {}", name, job.directory, e.what()));
  }
}

/// "ε = 0.1" for operators with an epsilon, else "". Below 1e-6 it only guards against zeros and is not a shape parameter.
inline std::string epsilon_text(const nlohmann::json& artifact) {
  if (!artifact.value("uses_epsilon", false) || artifact.value("epsilon", 0.0) < 1e-6) return "";
  return "ε = " + format_parameter(Node(artifact["epsilon"].get<double>()));
}

/// "ⵟ, ε = 0.1"; the label alone when it names an epsilon itself.
inline std::string arm_title(const ReportConfig& config, const std::string& arm, const nlohmann::json& artifact) {
  const std::string label = config.arm_label(arm), epsilon = epsilon_text(artifact);
  return epsilon.empty() || label.find("ε") != std::string::npos ? label : label + ", " + epsilon;
}

/// A star that marks a point such as w.
inline Line star(double x, double y, const std::string& color) {
  Line out;
  out.x = {x};
  out.y = {y};
  out.stroke = false;
  out.markers = true;
  out.marker = Marker::kStar;
  out.rgb = color;
  return out;
}

}  // namespace yatlab
