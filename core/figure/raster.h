#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/media.h"
#include "core/figure/figure.h"

namespace yatlab {

/// The bytes of a PNG file: width * height pixels, row by row from the top, three bytes each. Throws a job error if encoding fails.
Image png_image(std::size_t width, std::size_t height, const std::vector<std::uint8_t>& rgb);

/// A grid of numbers as an image: a square of `pixels` for each cell, NaN white. Values are coloured as in figures (`scale`; palette indices for
/// ColorMap::kCategories).
Image heat_image(const Heat& heat, const ColorScale& scale, std::size_t pixels = 1);

/// Grids of the same size side by side, `columns` per row, with white lines between them.
Image contact_sheet(const std::vector<Heat>& heats, const ColorScale& scale, std::size_t columns, std::size_t pixels = 1);

}  // namespace yatlab
