#include "core/data/byte_rows.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ops/vector_code.h"

namespace yatlab {
namespace {

constexpr std::int64_t kWorthwhile = std::int64_t{1} << 22;  // numbers: 16 MB of float32
constexpr std::int64_t kAhead = 8;                           // rows to prefetch while one is read

/// b / 255 without a slow division: 1/255 = 257/2^16 + 1/(255 * 2^16), and b * 257 is exact, so the sum of both products is rounded as the
/// quotient is, for every byte.
YATLAB_INLINE float quotient(std::uint8_t byte) {
  const auto b = static_cast<float>(byte);
  return b * (257.0F / 65536.0F) + b * (1.0F / 255.0F / 65536.0F);
}

/// The form of pixel values for a quotient q (plugins/kernels/datasets/shaping.h): kUnit q, kSymmetric 2 q - 1. The product is exact, so both round
/// as there.
enum class Form { kUnit, kSymmetric };
template <Form form>
YATLAB_INLINE float formed(float quotient) {
  return form == Form::kUnit ? quotient : quotient * 2.0F - 1.0F;
}

template <Form form>
YATLAB_INLINE void to_floats(const std::uint8_t* __restrict bytes, std::int64_t n, float* __restrict out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = formed<form>(quotient(bytes[i]));
}

/// The bytes of n numbers. False if some number is not exactly that of a byte, or is NaN or -0.
template <Form form>
YATLAB_INLINE bool to_bytes(const float* __restrict numbers, std::int64_t n, std::uint8_t* __restrict out) {
  int wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const float number = form == Form::kUnit ? numbers[i] : (numbers[i] + 1.0F) * 0.5F;
    const float clamped = number >= 0.0F ? (number <= 1.0F ? number : 1.0F) : 0.0F;
    const auto byte = static_cast<int>(clamped * 255.0F + 0.5F);
    out[i] = static_cast<std::uint8_t>(byte);
    const float expected = formed<form>(static_cast<float>(byte) / 255.0F);
    wrong |= static_cast<int>(!(expected == numbers[i])) | static_cast<int>(std::signbit(expected) != std::signbit(numbers[i]));
  }
  return wrong == 0;
}

template <Form form>
class ByteRows final : public Rows {
 public:
  ByteRows(Tensor bytes, Tensor targets) : bytes_(std::move(bytes)), targets_(std::move(targets)) {}

  std::int64_t size() const override { return bytes_.size(0); }

  std::pair<Tensor, Tensor> buffers(std::int64_t n) const override {
    const auto with_rows = [n](const Tensor& t) {
      auto shape = t.sizes().vec();
      shape[0] = n;
      return shape;
    };
    return {at::empty(with_rows(bytes_), at::kFloat), at::empty(with_rows(targets_), targets_.options())};
  }

  void read(const std::vector<std::int64_t>& rows, const Tensor& inputs, const Tensor& targets) const override {
    const auto width = bytes_.numel() / size();
    const auto target_bytes = targets_.nbytes() / static_cast<std::size_t>(size());
    const auto* from = bytes_.data_ptr<std::uint8_t>();
    const auto* from_targets = static_cast<const char*>(targets_.data_ptr());
    auto* to = inputs.data_ptr<float>();
    auto* to_targets = static_cast<char*>(targets.data_ptr());
    const auto count = static_cast<std::int64_t>(rows.size());
    const auto ask_for = [&](std::int64_t i) {
      if (i >= count) return;
      const auto* row = from + rows[static_cast<std::size_t>(i)] * width;
      for (std::int64_t at = 0; at < width; at += 64) __builtin_prefetch(row + at, 0, 2);
    };
    for (std::int64_t i = 0; i < kAhead; ++i) ask_for(i);
    for (std::int64_t i = 0; i < count; ++i) {
      ask_for(i + kAhead);
      const auto row = rows[static_cast<std::size_t>(i)];
      kernel::vector_code([&]() YATLAB_VECTORS { to_floats<form>(from + row * width, width, to + i * width); });
      std::memcpy(to_targets + static_cast<std::size_t>(i) * target_bytes, from_targets + static_cast<std::size_t>(row) * target_bytes,
                  target_bytes);
    }
  }

 private:
  Tensor bytes_, targets_;  // uint8 [N, ...]; [N, ...]
};

/// Null if some number does not have this form.
template <Form form>
std::shared_ptr<const Rows> rows_of(const Split& split) {
  const Tensor bytes = at::empty(split.inputs.sizes(), at::kByte);
  const auto* from = split.inputs.data_ptr<float>();
  auto* to = bytes.data_ptr<std::uint8_t>();
  constexpr std::int64_t kPiece = 1 << 16;  // small, to detect other data early
  for (std::int64_t begin = 0; begin < split.inputs.numel(); begin += kPiece) {
    const auto n = std::min(kPiece, split.inputs.numel() - begin);
    if (!kernel::vector_code([&]() YATLAB_VECTORS { return to_bytes<form>(from + begin, n, to + begin); })) return nullptr;
  }
  return std::make_shared<ByteRows<form>>(bytes, split.targets);
}

}  // namespace

std::shared_ptr<const Rows> byte_rows(const Split& split) {
  const Tensor& inputs = split.inputs;
  if (!inputs.defined() || inputs.layout() != at::kStrided || !inputs.is_cpu() || inputs.scalar_type() != at::kFloat ||
      !inputs.is_contiguous() || inputs.numel() < kWorthwhile || split.targets.layout() != at::kStrided || !split.targets.is_contiguous())
    return nullptr;
  auto out = rows_of<Form::kUnit>(split);
  return out ? out : rows_of<Form::kSymmetric>(split);
}

}  // namespace yatlab
