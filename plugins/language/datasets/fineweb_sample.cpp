#include "plugins/language/datasets/text_files.h"

namespace yatlab {

class FinewebSample final : public TextFiles {
 public:
  explicit FinewebSample(const Params& p) : TextFiles("fineweb_sample", p) {}
};

YATLAB_REGISTER(Dataset, FinewebSample, "fineweb_sample", "a subset of FineWeb, 2,800 documents");

}  // namespace yatlab
