#pragma once

#include <vector>

#include "core/base/files.h"
#include "core/base/media.h"

namespace yatlab {

/// Keeps what a job shows in `<job>/media/`: index.json names the objects, in their order, with step, caption and file (pictures .png,
/// tables and histograms .json, text .md). What lay there before is replaced. Nothing is written for no objects.
void write_media(const fs::path& job_directory, const std::vector<Media>& items);

/// What `write_media` kept; nothing where there is none. Throws a data error when a file of it is missing or damaged.
std::vector<Media> read_media(const fs::path& job_directory);

}  // namespace yatlab
