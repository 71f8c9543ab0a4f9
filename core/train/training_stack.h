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

/// A training that is to go through a stack.
struct StackMember {
  std::size_t place = 0;  ///< its order among the members
  TrainingLoop& loop;
  Architecture& model;
  const Task& task;
  std::function<ModelBuilder()> another;           ///< makes what makes a model like this one, with an operator of its own
  std::map<std::string, double> operator_numbers;  ///< values of Operator::stacked_parameters
};

/// Trainings whose models differ in numbers alone, an update of all of them at a time: one forward and one backward pass through tensors [S, ...]
/// in place of S. Members that see the same batch share it, and its product with their weights is one product. All else is each member's
/// own, as its TrainingLoop has it: order of samples, optimizer, schedule, clipping, evaluations, checkpoints, what is logged, when it ends.
///
/// Members' parameters are views of the stack's while it lasts. A member's numbers are those that it has alone, to rounding: the same
/// sums, which another matrix product may take in another order. One that diverges, stops or fails leaves the others alone.
///
/// Each member is in a thread of its own; when all are there, one of these threads trains them all.
class TrainingStack {
 public:
  /// For so many members, each of which either trains or leaves.
  explicit TrainingStack(std::size_t members) : missing_(members) {}

  /// What `loop.run()` does. Waits for the other members. Throws what went wrong in this member.
  TrainOutcome train(const StackMember& member);
  /// A member that does not train, because it failed before, or had no need to.
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

/// A member's place in a stack: leaves it unless it trains.
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
