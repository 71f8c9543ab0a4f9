#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace yatlab {

/// Whether `read_image` supports the file's extension: .png, .jpg, .jpeg, in any case.
bool is_image_name(const std::filesystem::path& path);

/// Changes made or not made to an image that the user should be told about.
struct ImageNotes {
  bool turned = false;   ///< rotated or mirrored by its EXIF orientation: rows and columns are those that viewers show
  bool rounded = false;  ///< its 16 bits per channel were rounded to 8
  bool gamma = false;    ///< it has a gamma unlike sRGB's, or a colour profile: values are unchanged
};

/// A PNG or JPEG image, recognised by its first bytes: uint8 [1 or 3, rows, columns], grey or RGB, 8 bits per channel. Values are as stored, oriented
/// by EXIF, with 16 bits rounded to 8. `name` is used in error messages.
/// Data error if it is neither format, is cut off or damaged, is partly transparent, or has more than 2^26 pixels.
at::Tensor decode_image(std::string_view bytes, const std::string& name, ImageNotes* notes = nullptr);
at::Tensor read_image(const std::filesystem::path& path);

}  // namespace yatlab
