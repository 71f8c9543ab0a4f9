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

/// Where the ranks of one training meet, held by whoever starts them: on this machine, at a port that is free.
class RankStore {
 public:
  RankStore();
  ~RankStore();
  std::int64_t port() const;
  /// Says in its place why a rank is gone. failed: by its own fault; else it was taken away.
  void report(const std::string& why, bool failed) noexcept;
  /// Why the first rank left before its time; nothing when none did.
  std::optional<ContactLost> reported() const noexcept;
  /// True when the ranks have trained what there was to train: from then on rank 0 works alone.
  bool over() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Ranks before and while they are a group.
class RankMeeting {
 public:
  /// Goes there. Config errors where nobody answers, the size is another one than rank 0's, or the rank is taken.
  explicit RankMeeting(const RankPlace& place);
  ~RankMeeting();

  const RankPlace& place() const { return place_; }
  /// Rank 0 says whether the others are needed. Only the first time counts.
  void announce(bool together);
  /// What rank 0 announced, for the others; false too when `stop()` says so before. Throws ContactLost.
  bool wanted(const std::function<bool()>& stop);
  /// Rank 0, where it holds the store: returns when all have heard what was announced or reported. One that never came is not waited for long.
  void wait_until_all_left();
  /// The group, when all have come.
  std::shared_ptr<ProcessGroup> join(const c10::Device& device);
  /// Tells the others why this rank failed and leaves; the first one's word counts.
  void report(const std::string& why) noexcept;

 private:
  struct State;
  RankPlace place_;
  std::shared_ptr<State> state_;
  bool announced_ = false;
};

}  // namespace yatlab
