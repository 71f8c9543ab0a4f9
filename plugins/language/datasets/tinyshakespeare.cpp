#include "plugins/language/datasets/text_files.h"

namespace yatlab {

class Tinyshakespeare final : public TextFiles {
 public:
  explicit Tinyshakespeare(const Params& p) : TextFiles("tinyshakespeare", p) {}
};

YATLAB_REGISTER(Dataset, Tinyshakespeare, "tinyshakespeare", "40,000 lines of Shakespeare");

}  // namespace yatlab
