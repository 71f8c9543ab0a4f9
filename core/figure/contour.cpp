#include "core/figure/contour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace yatlab {
namespace {

class Marching {
 public:
  Marching(const Heat& grid, double level) : grid_(grid), level_(level) {}

  std::vector<Polyline> curves() {
    for (std::size_t r = 0; r + 1 < grid_.rows; ++r) {
      for (std::size_t c = 0; c + 1 < grid_.columns; ++c) square(r, c);
    }
    std::vector<Polyline> out;
    // First open curves, from their ends; the remaining ones are closed.
    for (const bool open : {true, false}) {
      for (const auto& [edge, neighbours] : links_) {
        if (neighbours.size() == (open ? 1u : 2u)) follow(edge, out);
      }
    }
    return out;
  }

 private:
  // An edge between two neighbouring values: twice the index of its upper or left end, plus 1 if it is vertical.
  using Edge = std::size_t;

  std::size_t index(std::size_t r, std::size_t c) const { return r * grid_.columns + c; }
  bool above(std::size_t i) const { return grid_.values[i] >= level_; }

  void link(Edge a, Edge b) {
    links_[a].push_back(b);
    links_[b].push_back(a);
  }

  void square(std::size_t r, std::size_t c) {
    const std::array<std::size_t, 4> corner = {index(r, c), index(r, c + 1), index(r + 1, c + 1), index(r + 1, c)};
    double sum = 0;
    for (const auto i : corner) {
      if (!std::isfinite(grid_.values[i])) return;
      sum += grid_.values[i];
    }
    // Clockwise from the top, like the corners.
    const std::array<Edge, 4> edge = {2 * corner[0], 2 * corner[1] + 1, 2 * corner[3], 2 * corner[0] + 1};
    std::vector<std::size_t> crossed;
    for (std::size_t k = 0; k < 4; ++k) {
      if (above(corner[k]) != above(corner[(k + 1) % 4])) crossed.push_back(k);
    }
    if (crossed.size() == 2) link(edge[crossed[0]], edge[crossed[1]]);
    if (crossed.size() == 4) {
      // Corners 0 and 2 are on one side, 1 and 3 on the other; the value in the middle decides which pair is connected.
      const bool with_first = (sum / 4 >= level_) == above(corner[0]);
      link(edge[0], edge[with_first ? 1 : 3]);
      link(edge[2], edge[with_first ? 3 : 1]);
    }
  }

  void add(Edge edge, Polyline& line) const {
    const std::size_t a = edge / 2, b = edge % 2 == 1 ? a + grid_.columns : a + 1;
    const double t = (level_ - grid_.values[a]) / (grid_.values[b] - grid_.values[a]);
    const auto x = [&](std::size_t i) { return static_cast<double>(i % grid_.columns); };
    const auto y = [&](std::size_t i) { return static_cast<double>(grid_.rows - 1 - i / grid_.columns); };
    line.x.push_back(grid_.x0 + (x(a) + t * (x(b) - x(a)) + 0.5) * grid_.cell);
    line.y.push_back(grid_.y0 + (y(a) + t * (y(b) - y(a)) + 0.5) * grid_.cell);
  }

  void follow(Edge start, std::vector<Polyline>& out) {
    if (used_[start]) return;
    Polyline line;
    Edge at = start;
    while (true) {
      used_[at] = true;
      add(at, line);
      const auto& next = links_[at];
      const auto free = std::find_if(next.begin(), next.end(), [&](Edge e) { return !used_[e]; });
      if (free == next.end()) break;
      at = *free;
    }
    const auto& last = links_[at];
    if (line.x.size() > 2 && std::find(last.begin(), last.end(), start) != last.end()) add(start, line);
    out.push_back(std::move(line));
  }

  const Heat& grid_;
  double level_;
  std::map<Edge, std::vector<Edge>> links_;
  std::map<Edge, bool> used_;
};

}  // namespace

std::vector<Polyline> contour_lines(const Heat& grid, double level) {
  if (grid.values.size() != grid.rows * grid.columns) return {};
  return Marching(grid, level).curves();
}

}  // namespace yatlab
