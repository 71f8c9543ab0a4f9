#include "plugins/kernels/layers/patches.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <vector>

#include "core/ops/kernel_choice.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The sizes of images and windows.
struct PatchSizes {
  std::int64_t images, rows, columns, channels;  ///< of the images
  std::int64_t down, across;                     ///< windows per image
  PatchShape shape;

  PatchSizes(std::int64_t b, std::int64_t h, std::int64_t w, std::int64_t c, const PatchShape& s)
      : images(b), rows(h), columns(w), channels(c), down(s.windows(h)), across(s.windows(w)), shape(s) {}
  std::vector<std::int64_t> of_images() const { return {images, rows, columns, channels}; }
  std::vector<std::int64_t> of_windows() const { return {images, down, across, shape.kernel * shape.kernel * channels}; }
};

/// Calls `move` for every contiguous stretch of pixels that a window shares with its image: (offset in the image, offset in the windows, count).
template <class Move>
void each_stretch(const PatchSizes& z, std::int64_t image, const Move& move) {
  const auto& s = z.shape;
  for (std::int64_t r = 0; r < z.down; ++r) {
    for (std::int64_t c = 0; c < z.across; ++c) {
      const auto left = c * s.stride - s.padding, first = std::max<std::int64_t>(0, -left);
      const auto last = std::min(s.kernel, z.columns - left);
      if (first >= last) continue;
      for (std::int64_t i = 0; i < s.kernel; ++i) {
        const auto row = r * s.stride - s.padding + i;
        if (row < 0 || row >= z.rows) continue;
        const auto window = ((image * z.down + r) * z.across + c) * s.kernel + i;
        move(((image * z.rows + row) * z.columns + left + first) * z.channels, (window * s.kernel + first) * z.channels,
             (last - first) * z.channels);
      }
    }
  }
}

/// Runs `of_image` for every image, on several threads if there is enough work.
template <class OfImage>
void each_image(const PatchSizes& z, const OfImage& of_image) {
  const auto numbers = z.down * z.across * z.shape.kernel * z.shape.kernel * z.channels;
  at::parallel_for(0, z.images, std::max<std::int64_t>(1, (1 << 16) / std::max<std::int64_t>(1, numbers)),
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t b = begin; b < end; ++b) of_image(b);
                   });
}

/// Pixel (i, j) of all windows of padded images: [B, H', W', C], a view.
Tensor pixel_of_windows(const Tensor& padded, const PatchSizes& z, std::int64_t i, std::int64_t j) {
  const auto stride = z.shape.stride;
  return padded.slice(1, i, i + stride * (z.down - 1) + 1, stride).slice(2, j, j + stride * (z.across - 1) + 1, stride);
}

Tensor taken_patches(const Tensor& images, const PatchSizes& z) {
  const auto k = z.shape.kernel, p = z.shape.padding;
  if (!use_cpu_kernel(images)) {
    const Tensor padded = p > 0 ? at::constant_pad_nd(images, {0, 0, p, p, p, p}) : images;
    std::vector<Tensor> pixels;
    for (std::int64_t i = 0; i < k * k; ++i) pixels.push_back(pixel_of_windows(padded, z, i / k, i % k));
    return at::cat(pixels, 3);
  }
  const Tensor from = images.contiguous();
  const Tensor out = p > 0 ? at::zeros(z.of_windows(), from.options()) : at::empty(z.of_windows(), from.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, from.scalar_type(), "patches", [&] {
    const auto* source = from.data_ptr<scalar_t>();
    auto* target = out.data_ptr<scalar_t>();
    each_image(z, [&](std::int64_t b) {
      each_stretch(z, b, [&](std::int64_t pixel, std::int64_t place, std::int64_t n) { std::copy_n(source + pixel, n, target + place); });
    });
  });
  return out;
}

Tensor summed_patches(const Tensor& windows, const PatchSizes& z) {
  const auto k = z.shape.kernel, p = z.shape.padding;
  if (!use_cpu_kernel(windows)) {
    const Tensor padded = at::zeros({z.images, z.rows + 2 * p, z.columns + 2 * p, z.channels}, windows.options());
    for (std::int64_t i = 0; i < k * k; ++i) {
      pixel_of_windows(padded, z, i / k, i % k).add_(windows.narrow(3, i * z.channels, z.channels));
    }
    return padded.narrow(1, p, z.rows).narrow(2, p, z.columns).contiguous();
  }
  const Tensor from = windows.contiguous();
  const Tensor out = at::zeros(z.of_images(), from.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, from.scalar_type(), "sum_of_patches", [&] {
    const auto* source = from.data_ptr<scalar_t>();
    auto* target = out.data_ptr<scalar_t>();
    each_image(z, [&](std::int64_t b) {
      each_stretch(z, b, [&](std::int64_t pixel, std::int64_t place, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) target[pixel + i] += source[place + i];
      });
    });
  });
  return out;
}

void keep_sizes(AutogradContext* ctx, const PatchSizes& z) {
  ctx->saved_data["sizes"] = z.of_images();
  ctx->saved_data["shape"] = std::vector<std::int64_t>{z.shape.kernel, z.shape.stride, z.shape.padding};
}
PatchSizes kept_sizes(AutogradContext* ctx) {
  const auto n = ctx->saved_data["sizes"].toIntVector(), s = ctx->saved_data["shape"].toIntVector();
  return {n[0], n[1], n[2], n[3], {s[0], s[1], s[2]}};
}

struct PatchesFunction : torch::autograd::Function<PatchesFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& images, const PatchSizes& z) {
    keep_sizes(ctx, z);
    return taken_patches(images, z);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients);
};

struct SumOfPatchesFunction : torch::autograd::Function<SumOfPatchesFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& windows, const PatchSizes& z) {
    keep_sizes(ctx, z);
    return summed_patches(windows, z);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    return {PatchesFunction::apply(gradients[0], kept_sizes(ctx)), {}};
  }
};

variable_list PatchesFunction::backward(AutogradContext* ctx, variable_list gradients) {
  return {SumOfPatchesFunction::apply(gradients[0], kept_sizes(ctx)), {}};
}

}  // namespace

Tensor patches(const Tensor& images, const PatchShape& shape) {
  return PatchesFunction::apply(images, PatchSizes(images.size(0), images.size(1), images.size(2), images.size(3), shape));
}

Tensor sum_of_patches(const Tensor& windows, std::int64_t rows, std::int64_t columns, const PatchShape& shape) {
  return SumOfPatchesFunction::apply(windows,
                                     PatchSizes(windows.size(0), rows, columns, windows.size(3) / (shape.kernel * shape.kernel), shape));
}

}  // namespace yatlab
