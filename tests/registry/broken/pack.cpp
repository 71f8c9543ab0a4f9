#include "registry/probe.h"

namespace yatlab {
namespace {

class FromPack final : public Probe {
 public:
  std::int64_t answer() const override { return 42; }
};
YATLAB_REGISTER(Probe, FromPack, "from_pack", "of a pack", {"packed"});

}  // namespace
}  // namespace yatlab
