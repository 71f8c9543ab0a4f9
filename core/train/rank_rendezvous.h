#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/system/rank_place.h"
#include "core/train/process_group.h"

namespace yatlab {

/// Why this program cannot train on several ranks; "" when it can.
std::string why_no_ranks();

/// The rendezvous store of one training's ranks, hosted by the process that starts them: on this machine, at a free port.
class RankStore {
 public:
  RankStore();
  ~RankStore();
  std::int64_t port() const;
  /// Records, on behalf of a rank, why it is gone. failed: its own failure; otherwise it was stopped from outside.
  void report(const std::string& why, bool failed) noexcept;
  /// Why the first rank left early; nothing when none did.
  std::optional<ContactLost> reported() const noexcept;
  /// True when the joint training is finished: from then on rank 0 works alone.
  bool over() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A rank before the group forms and while it exists.
class RankRendezvous {
 public:
  /// Connects. Config errors where nobody answers, the size differs from rank 0's, or the rank is taken.
  explicit RankRendezvous(const RankPlace& place);
  ~RankRendezvous();

  const RankPlace& place() const { return place_; }
  /// Rank 0 announces whether the others are needed. Only the first call counts.
  void announce(bool together);
  /// For the other ranks: what rank 0 announced; false if `stop()` returns true before. Throws ContactLost.
  bool wanted(const std::function<bool()>& stop);
  /// On rank 0, where it holds the store: returns when all ranks have received the announcement or report. It does not wait long for a rank that
  /// never arrived.
  void wait_until_all_left();
  /// Returns the group once all ranks have arrived.
  std::shared_ptr<ProcessGroup> join(const c10::Device& device);
  /// Tells the others why this rank failed and leaves; only the first report counts.
  void report(const std::string& why) noexcept;

 private:
  struct State;
  RankPlace place_;
  std::shared_ptr<State> state_;
  bool announced_ = false;
};

}  // namespace yatlab
