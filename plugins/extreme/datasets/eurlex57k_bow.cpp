#include "plugins/extreme/datasets/xc_files.h"

namespace yatlab {

/// EURLEX57K (Chalkidis et al. 2019) as TF-IDF bag of words; its development documents are the split "validation".
class Eurlex57kBow final : public XcFiles {
 public:
  explicit Eurlex57kBow(const Params& p) : XcFiles("eurlex57k_bow", p) {}
};

YATLAB_REGISTER(Dataset, Eurlex57kBow, "eurlex57k_bow", "EURLEX57K as bag of words: 45000 + 6000 + 6000 rows, 5000 features, 4271 labels");

}  // namespace yatlab
