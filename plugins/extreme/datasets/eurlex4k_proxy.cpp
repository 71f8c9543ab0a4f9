#include "plugins/extreme/datasets/xc_files.h"

namespace yatlab {

/// A substitute for Eurlex-4K that must never be reported under that name: real EU legal acts with EuroVoc labels, drawn from
/// EURLEX57K (Chalkidis et al. 2019), with the same numbers of training rows, test rows and features, but 3460 labels.
class Eurlex4kProxy final : public XcFiles {
 public:
  explicit Eurlex4kProxy(const Params& p) : XcFiles("eurlex4k_proxy", p) {}
};

YATLAB_REGISTER(Dataset, Eurlex4kProxy, "eurlex4k_proxy",
                "a substitute for Eurlex-4K: other EU legal acts, 15539 + 3809 rows, 5000 features, 3460 labels");

}  // namespace yatlab
