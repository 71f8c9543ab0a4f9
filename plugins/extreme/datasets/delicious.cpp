#include "plugins/extreme/datasets/xc_files.h"

namespace yatlab {

/// Delicious (Tsoumakas, Katakis, Vlahavas 2008): binary words, 19 tags per row.
class Delicious final : public XcFiles {
 public:
  explicit Delicious(const Params& p) : XcFiles("delicious", p) {}
};

YATLAB_REGISTER(Dataset, Delicious, "delicious", "tags of web pages: 12920 + 3185 rows, 500 features, 983 labels");

}  // namespace yatlab
