#include "plugins/language/datasets/text_files.h"

namespace yatlab {

class WikipediaEn final : public TextFiles {
 public:
  explicit WikipediaEn(const Params& p) : TextFiles("wikipedia_en", p) {}
};

YATLAB_REGISTER(Dataset, WikipediaEn, "wikipedia_en", "8,141 English Wikipedia articles of 2015");

}  // namespace yatlab
