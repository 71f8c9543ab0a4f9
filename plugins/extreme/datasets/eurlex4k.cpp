#include "plugins/extreme/datasets/xc_files.h"

namespace yatlab {

/// Eurlex-4K (Loza Mencia, Fuernkranz 2008) from the Extreme Classification Repository, bag of words.
class Eurlex4k final : public XcFiles {
 public:
  explicit Eurlex4k(const Params& p) : XcFiles("eurlex4k", p) {}
};

YATLAB_REGISTER(Dataset, Eurlex4k, "eurlex4k", "EU legal acts and their EuroVoc labels: 15539 + 3809 rows, 5000 features, 3993 labels");

}  // namespace yatlab
