#include "core/verdict/seeds_left.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"

namespace yatlab {
namespace {

// The maximum number of changes described for a curve; beyond it, only its end.
constexpr std::size_t kMaxListedChanges = 4;

std::string place_text(double x) {
  return x == std::floor(x) && std::abs(x) < 1e15 ? std::to_string(static_cast<long long>(x)) : fmt::format("{:.4g}", x);
}

}  // namespace

void SeedsLeft::add(std::size_t seed, double x, bool finite) {
  if (seeds_.size() <= seed) seeds_.resize(seed + 1);
  Seed& own = seeds_[seed];
  own.any = true;
  own.last = x;
  if (finite == own.in) return;
  own.in = finite;
  own.changes.emplace_back(x, finite);
}

std::size_t SeedsLeft::seeds() const {
  return static_cast<std::size_t>(std::count_if(seeds_.begin(), seeds_.end(), [](const Seed& seed) { return seed.any; }));
}

std::vector<SeedsLeft::Change> SeedsLeft::changes() const {
  double end = -std::numeric_limits<double>::infinity();
  for (const auto& seed : seeds_) end = seed.any ? std::max(end, seed.last) : end;
  struct Event {
    double x;
    bool after;
    int by;
  };
  std::vector<Event> events;
  for (const auto& seed : seeds_) {
    if (!seed.any) continue;
    for (const auto& [x, in] : seed.changes) events.push_back({x, false, in ? 1 : -1});
    if (seed.in && seed.last < end) events.push_back({seed.last, true, -1});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.x != b.x ? a.x < b.x : a.after < b.after; });
  std::vector<Change> out;
  auto left = static_cast<long long>(seeds());
  for (std::size_t i = 0; i < events.size();) {
    const auto before = left;
    const Event first = events[i];
    for (; i < events.size() && events[i].x == first.x && events[i].after == first.after; ++i) left += events[i].by;
    if (left != before) out.push_back({first.x, first.after, static_cast<std::size_t>(left)});
  }
  return out;
}

std::string SeedsLeft::text(const std::string& unit) const {
  if (seeds() < 2) return {};
  const auto all = changes();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= kMaxListedChanges && i + 1 < all.size()) continue;
    const auto& change = all[i];
    const std::string count = parts.empty() ? fmt::format("{} of {} seeds", change.left, seeds()) : std::to_string(change.left);
    parts.push_back(fmt::format("{}{} {} {} {}", i > kMaxListedChanges ? "... " : "", count, change.after ? "after" : "from", unit,
                                place_text(change.x)));
  }
  return join(parts, ", ");
}

}  // namespace yatlab
