#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace yatlab {

/// Whether a file's name ends like one that `read_image` reads: .png, .jpg, .jpeg, in any case.
bool is_image_name(const std::filesystem::path& path);

/// What was done to an image, or left undone, that a person should know of.
struct ImageNotes {
  bool turned = false;   ///< its EXIF data say how it was held; its rows and columns are those that viewers show
  bool rounded = false;  ///< its sixteen bits a channel were rounded to eight
  bool gamma = false;    ///< it asks for a brightness unlike sRGB's, or has a colour profile: values are as they are stored
};

/// A PNG or JPEG image, told by its first bytes: uint8 [1 or 3, rows, columns], grey or RGB, eight bits a channel: values as they are stored, turned as
/// EXIF says, sixteen bits rounded. `name` is what errors call it.
/// Data error where it is neither, is cut off or damaged, is partly transparent, or has more than 2^26 pixels.
at::Tensor decode_image(std::string_view bytes, const std::string& name, ImageNotes* notes = nullptr);
at::Tensor read_image(const std::filesystem::path& path);

}  // namespace yatlab
