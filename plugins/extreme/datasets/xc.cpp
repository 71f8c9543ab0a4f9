#include "plugins/extreme/datasets/xc_files.h"

namespace yatlab {

/// Any data set of the Extreme Classification Repository: `files` declares its files, `title` its name.
class Xc final : public XcFiles {
 public:
  struct Params : XcFiles::Params {
    std::string title = "xc";
    static void declare(Fields& f, Params& p) {
      f.field("title", p.title, "name of the data set in tables and captions");
      XcFiles::Params::declare(f, p);
    }
  };
  explicit Xc(const Params& p) : XcFiles(p.title, p) {}
};

YATLAB_REGISTER(Dataset, Xc, "xc", "any data set in the Extreme Classification Repository's text format");

}  // namespace yatlab
