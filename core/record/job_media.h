#pragma once

#include <vector>

#include "core/base/files.h"
#include "core/base/media.h"

namespace yatlab {

/// Stores a job's media in `<job>/media/`: index.json lists the objects in order, with step, caption and file (pictures .png,
/// tables and histograms .json, text .md). Replaces earlier contents. Writes nothing if there are no objects.
void write_media(const fs::path& job_directory, const std::vector<Media>& items);

/// The media that `write_media` stored; empty if there are none. Throws a data error when one of its files is missing or damaged.
std::vector<Media> read_media(const fs::path& job_directory);

}  // namespace yatlab
