#pragma once

#include <memory>

#include "core/data/dataset.h"

namespace yatlab {

/// The bytes b behind inputs that are b / 255 all over, or 2 b / 255 - 1 (`pixels: symmetric`), as those of images are, in a quarter of the
/// memory: a batch in random order is gathered from these in a third of the time or less, most of which is waiting for memory. What is read is
/// equal to the tensors' rows, byte for byte. Null where some number is neither, and for what is so small (below 16 MB) that it stays in caches.
/// `split` must not change any more.
std::shared_ptr<const Rows> byte_rows(const Split& split);

}  // namespace yatlab
