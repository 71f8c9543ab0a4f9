#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/base/hash.h"
#include "plugins/kernels/datasets/generated.h"
#include "plugins/kernels/datasets/shaping.h"

namespace yatlab {
namespace {

constexpr int kShapeSide = 32;
constexpr float kShapeTurn = 6.28318530718f;

/// One stream per image, so that images do not depend on each other or on threads.
class ShapeDraws {
 public:
  explicit ShapeDraws(std::uint64_t seed) : bits_(seed) {}
  float between(float low, float high) { return low + (high - low) * static_cast<float>(bits_.next() >> 40) * 0x1p-24f; }
  std::size_t below(std::size_t n) { return bits_.below(n); }
  /// One number per channel, from -1 to 1, those near 0 the most likely.
  std::array<float, 3> grain() {
    auto bits = bits_.next();
    std::array<float, 3> out{};
    for (auto& value : out) {
      value = (static_cast<float>(bits & 1023) + static_cast<float>(bits >> 10 & 1023)) / 1023 - 1;
      bits >>= 20;
    }
    return out;
  }
  std::array<float, 3> colour() { return {between(0, 1), between(0, 1), between(0, 1)}; }

 private:
  SplitMix64 bits_;
};

float radius_of(float x, float y) { return std::sqrt(x * x + y * y); }

/// Signed distance of (x, y) from the regular polygon with this many sides around the circle of radius `inner`; below 0 inside.
float outside_polygon(float x, float y, int sides, float inner) {
  const float sector = kShapeTurn / static_cast<float>(sides), angle = std::atan2(y, x);
  const float off = angle - sector * std::round(angle / sector);
  return radius_of(x, y) * std::cos(off) - inner;
}

/// Approximate signed distance of (x, y) from a shape of size 1 about the origin; below 0 inside.
float outside(std::size_t kind, float x, float y) {
  const auto box = [](float px, float py, float a, float b) { return std::max(std::abs(px) - a, std::abs(py) - b); };
  switch (kind) {
    case 0:  // disk
      return radius_of(x, y) - 0.9f;
    case 1:  // ring
      return std::abs(radius_of(x, y) - 0.75f) - 0.2f;
    case 2:  // square
      return box(x, y, 0.8f, 0.8f);
    case 3:  // frame
      return std::abs(box(x, y, 0.75f, 0.75f)) - 0.18f;
    case 4:  // triangle
      return outside_polygon(x, y, 3, 0.5f);
    case 5:  // plus
      return std::min(box(x, y, 0.95f, 0.25f), box(x, y, 0.25f, 0.95f));
    case 6:  // bar
      return box(x, y, 0.95f, 0.3f);
    case 7:  // crescent
      return std::max(radius_of(x, y) - 0.9f, 0.75f - radius_of(x - 0.45f, y));
    case 8:  // two disks
      return std::min(radius_of(x - 0.55f, y), radius_of(x + 0.55f, y)) - 0.4f;
    default:  // an L
      return std::min(box(x + 0.6f, y, 0.25f, 0.9f), box(x, y - 0.65f, 0.85f, 0.25f));
  }
}

/// One image, as planes of red, green and blue.
void paint(std::size_t kind, float noise, ShapeDraws& draws, std::uint8_t* pixels) {
  auto front = draws.colour();
  const auto paper = draws.colour(), shade = draws.colour();
  // Ink and paper differ in some channel, or the shape would be invisible.
  const auto channel = draws.below(3);
  front[channel] = paper[channel] < 0.5f ? paper[channel] + draws.between(0.4f, 0.5f) : paper[channel] - draws.between(0.4f, 0.5f);
  const float size = draws.between(7.5f, 12.f), turn = draws.between(-0.4f, 0.4f), stretch = draws.between(0.8f, 1.25f);
  const float reach = 15.5f - 0.6f * size;
  const float middle_x = 15.5f + draws.between(-0.6f, 0.6f) * (reach - 4), middle_y = 15.5f + draws.between(-0.6f, 0.6f) * (reach - 4);
  const float cosine = std::cos(turn), sine = std::sin(turn);
  // Waves across paper and ink, so that a pixel's colour does not show which of them it belongs to.
  const float wave = draws.between(0.2f, 0.9f), direction = draws.between(0, kShapeTurn), phase = draws.between(0, kShapeTurn);
  const float depth = draws.between(0.02f, 0.12f), wave_x = wave * std::cos(direction), wave_y = wave * std::sin(direction);
  for (int y = 0; y < kShapeSide; ++y) {
    for (int x = 0; x < kShapeSide; ++x) {
      const float px = static_cast<float>(x), py = static_cast<float>(y);
      const float dx = (px - middle_x) / size, dy = (py - middle_y) / size;
      const float cover =
          std::clamp(0.5f - size * outside(kind, (cosine * dx + sine * dy) * stretch, (cosine * dy - sine * dx) / stretch), 0.f, 1.f);
      const float light = depth * std::sin(px * wave_x + py * wave_y + phase);
      const auto grain = draws.grain();
      for (std::size_t c = 0; c < 3; ++c) {
        const float value = paper[c] + cover * (front[c] - paper[c]) + light * (shade[c] - 0.5f) * 2 + noise * grain[c];
        pixels[(c * kShapeSide + static_cast<std::size_t>(y)) * kShapeSide + static_cast<std::size_t>(x)] =
            static_cast<std::uint8_t>(std::clamp(value, 0.f, 1.f) * 255 + 0.5f);
      }
    }
  }
}

Split paint_all(std::int64_t size, double noise, std::uint64_t seed) {
  Split out{at::empty({size, 3, kShapeSide, kShapeSide}, at::kByte), at::empty({size}, at::kLong)};
  auto* pixels = out.inputs.data_ptr<std::uint8_t>();
  auto* labels = out.targets.data_ptr<std::int64_t>();
  at::parallel_for(0, size, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      // An odd multiplier keeps the streams of one seed distinct.
      ShapeDraws draws(SplitMix64(seed ^ static_cast<std::uint64_t>(i) * 0xD1B54A32D192ED03u).next());
      const auto kind = draws.below(10);
      labels[i] = static_cast<std::int64_t>(kind);
      paint(kind, static_cast<float>(noise), draws, pixels + i * 3 * kShapeSide * kShapeSide);
    }
  });
  return out;
}

}  // namespace

/// Ten kinds of shapes in colour, drawn by this file: each of any colour and with random place, size and angle, on paper of any colour, with waves
/// and grain over both. For running CIFAR-10's experiments where CIFAR-10 is not available. Ink may be brighter or darker than paper, so a single
/// pixel has no information about the class, and a linear classifier is little better than chance. Results on it are not comparable with CIFAR-10.
class SyntheticShapes final : public Dataset {
 public:
  struct Params {
    std::int64_t train_size = 50000, test_size = 10000;
    double noise = 0.1;
    Shaping shaping;
    static void declare(Fields& f, Params& p) {
      f.field("train_size", p.train_size, "training images drawn").min(1);
      f.field("test_size", p.test_size, "test images drawn").min(1);
      f.field("noise", p.noise, "maximum noise on every pixel and channel").range(0, 1);
      Shaping::declare(f, p.shaping);
    }
  };
  explicit SyntheticShapes(const Params& p) : params_(p) {}

  DataShape shape() const override {
    return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, input_shape(), num_classes(),
            DataShape::usual_splits(params_.shaping.validation > 0)};
  }
  std::map<std::string, Split> load(const DataContext& context) override {
    std::map<std::string, Split> splits;
    splits["train"] = paint_all(params_.train_size, params_.noise, derive_seed(context.seed, "synthetic_shapes/train"));
    splits["test"] = paint_all(params_.test_size, params_.noise, derive_seed(context.seed, "synthetic_shapes/test"));
    std::string sums;
    for (const auto& [name, split] : splits) sums += sha256(bytes_of(split.inputs)) + sha256(bytes_of(split.targets));
    provenance_ = {"synthetic_shapes", sha256(sums), "embedded", "", {}};
    shape_splits(splits, params_.shaping, context.seed);
    return splits;
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {3, kShapeSide, kShapeSide}; }
  std::int64_t num_classes() const override { return 10; }
  std::vector<std::string> class_names() const override {
    return {"disk", "ring", "square", "frame", "triangle", "plus", "bar", "crescent", "two disks", "L"};
  }

 private:
  Params params_;
  Provenance provenance_;
};

YATLAB_REGISTER(Dataset, SyntheticShapes, "synthetic_shapes", "generated shapes in colour, 3 x 32 x 32: a substitute for CIFAR-10");

}  // namespace yatlab
