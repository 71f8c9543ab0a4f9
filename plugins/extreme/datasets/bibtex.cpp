#include "plugins/extreme/datasets/xc_files.h"

namespace yatlab {

/// Bibtex (Katakis, Tsoumakas, Vlahavas 2008): binary words, with tags as labels.
class Bibtex final : public XcFiles {
 public:
  explicit Bibtex(const Params& p) : XcFiles("bibtex", p) {}
};

YATLAB_REGISTER(Dataset, Bibtex, "bibtex", "tags of BibSonomy's publications: 4880 + 2515 rows, 1836 features, 159 labels");

}  // namespace yatlab
