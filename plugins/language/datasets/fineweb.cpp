#include "plugins/language/datasets/text_files.h"

namespace yatlab {

class Fineweb final : public TextFiles {
 public:
  explicit Fineweb(const Params& p) : TextFiles("fineweb", p) {}
};

YATLAB_REGISTER(Dataset, Fineweb, "fineweb", "FineWeb, 2.5 billion tokens and more, ready-made GPT-2 tokens");

}  // namespace yatlab
