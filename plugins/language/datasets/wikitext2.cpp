#include "plugins/language/datasets/text_files.h"

namespace yatlab {

class Wikitext2 final : public TextFiles {
 public:
  explicit Wikitext2(const Params& p) : TextFiles("wikitext2", p) {}
};

YATLAB_REGISTER(Dataset, Wikitext2, "wikitext2", "WikiText-2: good Wikipedia articles");

}  // namespace yatlab
