#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/report/plot_tools.h"

namespace yatlab {

/// The learned prototypes as images, one row for each arm, one column for each class; all with the same diverging
/// colours and the same robust limits, so that arms can be compared (paper, figure "Learned MNIST prototypes").
/// Reads artifact `prototypes`: {"shape": [classes, height, width], "data": [...]}; [classes, d] with square d is also valid.
class PrototypesPlot final : public Plot {
 public:
  struct Params {
    std::string artifact = "prototypes";
    std::optional<std::int64_t> seed;
    std::vector<std::string> arms, labels;
    Node at = Node::map();
    double share = 0.99;
    static void declare(Fields& f, Params& p) {
      f.field("artifact", p.artifact, "name of the artifact that holds the prototypes");
      f.field("seed", p.seed, "seed whose prototypes are drawn; null, or where it is missing: the lowest seed that completed").unlimited();
      f.field("arms", p.arms, "rows of the figure; empty: all arms");
      f.field("labels", p.labels, "class names; empty: 0, 1, 2, ...");
      f.map("at", p.at, "in a sweep: the point to show, as {parameter: value}; default: the first");
      f.field("share", p.share, "share of the weights within the colour limits").range(0, 1);
    }
  };
  explicit PrototypesPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {p_.artifact}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    const auto arms = completed_arms(run, p_.arms);
    const auto point = plot_points(run, p_.at).front();
    constexpr double gap = 2, margin = 1;
    Panel panel;
    panel.grid = false;
    panel.equal_aspect = true;
    panel.x.visible = panel.y.visible = false;
    std::vector<double> all;
    double top = 0, width = 0;
    std::size_t classes = 0;
    SeedsSeen seeds;
    for (std::size_t a = 0; a < arms.size(); ++a) {
      const JobView& job = plot_job(run, arms[a], point, p_.seed);
      const Images images = read(run, request, job);
      seeds.add({job.seed});
      if (a > 0) top -= static_cast<double>(images.height) + gap;
      for (std::size_t c = 0; c < images.count; ++c) {
        Heat heat;
        heat.rows = images.height;
        heat.columns = images.width;
        const std::size_t size = images.height * images.width;
        heat.values.assign(images.data.begin() + static_cast<std::ptrdiff_t>(c * size),
                           images.data.begin() + static_cast<std::ptrdiff_t>((c + 1) * size));
        heat.x0 = static_cast<double>(c) * (static_cast<double>(images.width) + gap);
        heat.y0 = top - static_cast<double>(images.height);
        heat.frame = true;
        width = std::max(width, heat.x0 + static_cast<double>(images.width));
        panel.heats.push_back(std::move(heat));
      }
      all.insert(all.end(), images.data.begin(), images.data.end());
      panel.y.ticks.emplace_back(top - static_cast<double>(images.height) / 2, request.config->arm_label(arms[a]));
      if (a == 0) {
        classes = images.count;
        for (std::size_t c = 0; c < classes; ++c) {
          Annotation label;
          label.text = c < p_.labels.size() ? p_.labels[c] : std::to_string(c);
          label.x = (static_cast<double>(c) + 0.5) * (static_cast<double>(images.width) + gap) - gap / 2;
          label.y = static_cast<double>(images.height) * 0.2;
          panel.texts.push_back(std::move(label));
        }
      }
    }
    const double bottom = panel.heats.back().y0;
    const double head = static_cast<double>(panel.heats.front().rows) * 0.4;
    panel.x.min = -margin;
    panel.x.max = width + margin;
    panel.y.min = bottom - margin;
    panel.y.max = head;
    panel.colors.map = ColorMap::kDiverging;
    std::tie(panel.colors.min, panel.colors.max) = robust_symmetric_limits(all, p_.share);
    panel.colors.label = "weight";
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    figure.notes = {seeds.text()};
    figure.width = kDoubleColumn;
    // Rows of square images across the width left by labels and the colour bar.
    figure.height = (figure.width - 1.25) / (width + 2 * margin) * (head - bottom + margin) + 0.14;
    figure.panels.push_back(std::move(panel));
    return {std::move(figure)};
  }

 private:
  struct Images {
    std::size_t count = 0, height = 0, width = 0;
    std::vector<double> data;
  };

  Images read(const RunView& run, const PlotRequest& request, const JobView& job) const {
    const auto json = run.artifact(job, p_.artifact);
    if (!json) {
      throw plot_error(run, request, fmt::format("{} has no artifact '{}'", job.directory, p_.artifact),
                       "add the analysis that writes it to the experiment's analyses");
    }
    Images out;
    std::vector<std::size_t> shape;
    if (json->is_object() && json->contains("shape") && json->contains("data") && (*json)["shape"].is_array()) {
      for (const auto& n : (*json)["shape"]) shape.push_back(n.is_number_unsigned() ? n.get<std::size_t>() : 0);
      out.data = json_numbers((*json)["data"]);
    }
    if (shape.size() == 2) {
      const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(shape[1]))));
      if (side * side == shape[1]) shape = {shape[0], side, side};
    }
    if (shape.size() != 3 || shape[0] * shape[1] * shape[2] == 0 || shape[0] * shape[1] * shape[2] != out.data.size()) {
      throw plot_error(run, request, fmt::format("artifact '{}' of {} is not a stack of images", p_.artifact, job.directory));
    }
    out.count = shape[0];
    out.height = shape[1];
    out.width = shape[2];
    return out;
  }

  Params p_;
};
YATLAB_REGISTER(Plot, PrototypesPlot, "prototypes", "learned prototypes as images, arms by classes");

}  // namespace yatlab
