#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/model/build_model.h"
#include "core/train/training_loop.h"

namespace yatlab {

/// A training that will run in a stack.
struct StackMember {
  std::size_t place = 0;  ///< its order among the members
  TrainingLoop& loop;
  Architecture& model;
  const Task& task;
  std::function<ModelBuilder()> another;           ///< returns a builder of models like this one, with a new operator
  std::map<std::string, double> operator_numbers;  ///< values of Operator::stacked_parameters
};

/// Trains S models that differ only in numbers, one update of all of them at a time: one forward and backward pass through tensors [S, ...]
/// instead of S passes. Members with the same batch share it, and its product with all their weights is one matrix product. Everything else
/// remains separate, as in each member's TrainingLoop: order of samples, optimizer, schedule, clipping, evaluations, checkpoints, logs, the end.
///
/// While the stack exists, the members' parameters are views of its own. A member's results are those of a separate training up to rounding:
/// the same sums, possibly in a different order. A member that diverges, stops or fails does not affect the others.
///
/// Each member has its own thread; when all have arrived, one of these threads trains them all.
class TrainingStack {
 public:
  /// members: their number; each must call either `train` or `leave`.
  explicit TrainingStack(std::size_t members) : missing_(members) {}

  /// Does the same as `loop.run()`, after waiting for the other members. Throws this member's error.
  TrainOutcome train(const StackMember& member);
  /// For a member that does not train because it failed before, or has nothing left to do.
  void leave();

 private:
  struct Slot;
  class Stacked;
  void drive();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t missing_;
  bool driven_ = false;
  std::vector<Slot*> slots_;
};

/// A member's place in a stack. Its destructor calls `leave` unless the member has trained.
class StackSlot {
 public:
  StackSlot(TrainingStack& stack, std::size_t place) : stack_(stack), place_(place) {}
  StackSlot(const StackSlot&) = delete;
  StackSlot& operator=(const StackSlot&) = delete;
  ~StackSlot() {
    if (!used_) stack_.leave();
  }
  std::size_t place() const { return place_; }
  TrainOutcome train(const StackMember& member) {
    used_ = true;
    return stack_.train(member);
  }

 private:
  TrainingStack& stack_;
  std::size_t place_;
  bool used_ = false;
};

}  // namespace yatlab
