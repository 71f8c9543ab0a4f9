#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/base/hash.h"
#include "plugins/kernels/datasets/digit_glyphs.h"
#include "plugins/kernels/datasets/generated.h"
#include "plugins/kernels/datasets/shaping.h"

namespace yatlab {
namespace {

using digits::Glyph;
using digits::Point;
using digits::Stroke;

constexpr int kSide = 28;
constexpr float kTau = 6.28318530718f;

// SplitMix64: one stream per image, so that images do not depend on each other or on threads.
class RandomStroke {
 public:
  explicit RandomStroke(std::uint64_t seed) : bits_(seed) {}
  float uniform() { return static_cast<float>(bits_.next() >> 40) * 0x1p-24f; }
  float uniform(float lo, float hi) { return lo + (hi - lo) * uniform(); }
  float normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const float r = std::sqrt(-2 * std::log(1 - uniform())), angle = kTau * uniform();
    spare_ = r * std::sin(angle);
    has_spare_ = true;
    return r * std::cos(angle);
  }
  // Within two standard deviations: an outlier would no longer look like a digit.
  float normal(float std) {
    const float z = normal();
    return std * std::clamp(z, -2.f, 2.f);
  }
  std::size_t below(std::size_t n) { return bits_.below(n); }

 private:
  SplitMix64 bits_;
  float spare_ = 0;
  bool has_spare_ = false;
};

struct Segment {
  Point a, b;
};

// Point of the Catmull-Rom spline between p1 and p2.
Point spline(Point p0, Point p1, Point p2, Point p3, float t) {
  const auto mix = [t](float a, float b, float c, float d) {
    return 0.5f * (2 * b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * b - a - 3 * c + d))));
  };
  return {mix(p0.x, p1.x, p2.x, p3.x), mix(p0.y, p1.y, p2.y, p3.y)};
}

void trace(const Stroke& stroke, const std::vector<Point>& p, std::vector<Segment>& out) {
  const std::size_t pieces = stroke.smooth ? 5 : 1;
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    const Point before = p[i > 0 ? i - 1 : 0], after = p[std::min(i + 2, p.size() - 1)];
    Point last = p[i];
    for (std::size_t k = 1; k <= pieces; ++k) {
      const Point next = k == pieces ? p[i + 1] : spline(before, p[i], p[i + 1], after, static_cast<float>(k) / static_cast<float>(pieces));
      out.push_back({last, next});
      last = next;
    }
  }
}

// Ink at every pixel within reach of the segment: 1 inside the pen's radius, falling to 0 over `soft`.
void draw(const Segment& s, float radius, float soft, std::array<float, kSide * kSide>& ink) {
  const float reach = radius + soft, slope = 1 / soft;
  const auto lower = [](float v) { return std::max(0, static_cast<int>(std::floor(v))); };
  const auto upper = [](float v) { return std::min(kSide - 1, static_cast<int>(std::ceil(v))); };
  const int x0 = lower(std::min(s.a.x, s.b.x) - reach), x1 = upper(std::max(s.a.x, s.b.x) + reach);
  const int y0 = lower(std::min(s.a.y, s.b.y) - reach), y1 = upper(std::max(s.a.y, s.b.y) + reach);
  const float dx = s.b.x - s.a.x, dy = s.b.y - s.a.y;
  const float inverse = 1 / std::max(dx * dx + dy * dy, 1e-6f);
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const float px = static_cast<float>(x) - s.a.x, py = static_cast<float>(y) - s.a.y;
      const float t = std::clamp((px * dx + py * dy) * inverse, 0.f, 1.f);
      const float ex = px - t * dx, ey = py - t * dy;
      const float square = ex * ex + ey * ey;
      if (square >= reach * reach) continue;
      const float value = square <= radius * radius ? 1 : (reach - std::sqrt(square)) * slope;
      float& pixel = ink[static_cast<std::size_t>(y * kSide + x)];
      pixel = std::max(pixel, value);
    }
  }
}

/// The variation between handwritings.
struct Style {
  double rotation = 0.17, shear = 0.22, size = 0.07, width = 0.15, shift = 1.2, jitter = 0.03, warp = 0.055;
};

// One image of `digit`, as bytes.
void render(std::size_t digit, const Style& style, RandomStroke& random, std::uint8_t* pixels) {
  const auto f = [](double v) { return static_cast<float>(v); };
  const auto& choices = digits::glyphs()[digit];
  const Glyph& glyph = choices[random.below(choices.size())];
  const float angle = random.normal(f(style.rotation)), shear = 0.15f + random.normal(f(style.shear));
  const float height = 18.5f * std::exp(random.normal(f(style.size)));
  const float width = height * glyph.width * std::exp(random.normal(f(style.width)));
  const float radius = random.uniform(0.45f, 1.3f), soft = random.uniform(0.9f, 1.3f);
  const float pressure = random.uniform(0.92f, 1.f);
  const float cosine = std::cos(angle), sine = std::sin(angle);
  // A slow wave bends the whole shape, as in handwriting; jitter alone makes it bumpy.
  const float wave_x = random.uniform(0, kTau), wave_y = random.uniform(0, kTau);
  const float bend_x = random.normal(f(style.warp)), bend_y = random.normal(f(style.warp));

  std::vector<Segment> segments;
  std::vector<Point> points;
  // Strokes that meet in a control point must still meet: the same point gets the same jitter.
  std::vector<std::pair<Point, Point>> moved;
  const auto jittered = [&](Point p) {
    for (const auto& [from, to] : moved) {
      if (from.x == p.x && from.y == p.y) return to;
    }
    const Point to{p.x + random.normal(f(style.jitter)) / glyph.width * 0.6f, p.y + random.normal(f(style.jitter))};
    moved.push_back({p, to});
    return to;
  };
  for (const auto& stroke : glyph.strokes) {
    points.clear();
    for (const Point& p : stroke.points) {
      const Point j = jittered(p);
      const float y = (j.y - 0.5f + bend_y * std::sin(4 * j.x + wave_y)) * height;
      const float x = (j.x - 0.5f) * width + bend_x * height * std::sin(4 * j.y + wave_x) - shear * y;
      points.push_back({cosine * x - sine * y, sine * x + cosine * y});
    }
    trace(stroke, points, segments);
  }
  // As in MNIST, the ink's centre of mass is near the middle of the image.
  float mass = 0, mx = 0, my = 0;
  for (const auto& s : segments) {
    const float length = std::hypot(s.b.x - s.a.x, s.b.y - s.a.y);
    mass += length;
    mx += length * (s.a.x + s.b.x) / 2;
    my += length * (s.a.y + s.b.y) / 2;
  }
  const float middle = (kSide - 1) / 2.f;
  const float sx = middle - mx / mass + random.normal(f(style.shift));
  const float sy = middle - my / mass + random.normal(f(style.shift));
  std::array<float, kSide * kSide> ink{};
  for (auto s : segments) {
    s.a.x += sx, s.b.x += sx, s.a.y += sy, s.b.y += sy;
    draw(s, radius, soft, ink);
  }
  for (std::size_t i = 0; i < ink.size(); ++i) {
    // The paper's grain: ink only, the background stays 0.
    const float value = ink[i] <= 0 ? 0 : ink[i] * pressure * (1 - 0.04f * random.uniform());
    pixels[i] = static_cast<std::uint8_t>(value * 255 + 0.5f);  // value is in [0, 1]
  }
}

Split generate(std::int64_t size, const Style& style, std::uint64_t seed) {
  Split out{at::empty({size, kSide, kSide}, at::kByte), at::empty({size}, at::kLong)};
  auto* pixels = out.inputs.data_ptr<std::uint8_t>();
  auto* labels = out.targets.data_ptr<std::int64_t>();
  at::parallel_for(0, size, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      // An odd multiplier keeps the streams of one seed distinct.
      RandomStroke random(SplitMix64(seed ^ static_cast<std::uint64_t>(i) * 0xD1B54A32D192ED03u).next());
      const auto digit = random.below(10);
      labels[i] = static_cast<std::int64_t>(digit);
      render(digit, style, random, pixels + i * kSide * kSide);
    }
  });
  return out;
}

}  // namespace

/// Handwritten-looking digits, drawn by this file: pen strokes with random shape, slant, size, thickness and place. For running MNIST's experiments
/// where MNIST is not available; a linear classifier reaches about 90 %, as on MNIST. Results on it are not comparable with the paper.
class SyntheticDigits final : public Dataset {
 public:
  struct Params {
    std::int64_t train_size = 60000, test_size = 10000;
    Style style;
    Shaping shaping;
    static void declare(Fields& f, Params& p) {
      f.field("train_size", p.train_size, "training images drawn").min(1);
      f.field("test_size", p.test_size, "test images drawn").min(1);
      f.field("rotation", p.style.rotation, "spread of the angle, in radians").range(0, 1);
      f.field("shear", p.style.shear, "spread of the slant").range(0, 1);
      f.field("size", p.style.size, "spread of the logarithm of the height").range(0, 0.3);
      f.field("width", p.style.width, "spread of the logarithm of the width").range(0, 0.5);
      f.field("shift", p.style.shift, "spread of the position, in pixels").range(0, 4);
      f.field("jitter", p.style.jitter, "spread of the pen strokes' control points, in digit heights").range(0, 0.2);
      f.field("warp", p.style.warp, "spread of the slow bend of the whole digit, in digit heights").range(0, 0.2);
      Shaping::declare(f, p.shaping);
    }
  };
  explicit SyntheticDigits(const Params& p) : params_(p) {}

  DataShape shape() const override {
    return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, input_shape(), num_classes(),
            DataShape::usual_splits(params_.shaping.validation > 0)};
  }
  std::map<std::string, Split> load(const DataContext& context) override {
    std::map<std::string, Split> splits;
    splits["train"] = generate(params_.train_size, params_.style, derive_seed(context.seed, "synthetic_digits/train"));
    splits["test"] = generate(params_.test_size, params_.style, derive_seed(context.seed, "synthetic_digits/test"));
    std::string sums;
    for (const auto& [name, split] : splits) sums += sha256(bytes_of(split.inputs)) + sha256(bytes_of(split.targets));
    provenance_ = {"synthetic_digits", sha256(sums), "embedded", "", {}};
    shape_splits(splits, params_.shaping, context.seed);
    return splits;
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {kSide, kSide}; }
  std::int64_t num_classes() const override { return 10; }

 private:
  Params params_;
  Provenance provenance_;
};

YATLAB_REGISTER(Dataset, SyntheticDigits, "synthetic_digits", "generated digits, 28 x 28: a substitute for MNIST");

}  // namespace yatlab
