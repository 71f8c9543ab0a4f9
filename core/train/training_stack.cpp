#include "core/train/training_stack.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/ops/stacked_operator.h"
#include "core/train/stacked_batches.h"
#include "core/train/stacked_task.h"

namespace yatlab {

struct TrainingStack::Slot {
  const StackMember& member;
  bool over = false;
  TrainOutcome outcome = {};
  std::exception_ptr error = nullptr;
  TrainingLoop::Step step = {};
  std::size_t stack = 0;  ///< largest number of members that it was trained with, including itself
};

/// The models of several members, combined into one.
class TrainingStack::Stacked {
 public:
  explicit Stacked(std::vector<Slot*> slots)
      : slots_(std::move(slots)), builder_(slots_.front()->member.another()), model_(builder_.build()), batches_(steps_of(slots_)) {
    const at::NoGradGuard no_grad;
    const auto& first = slots_.front()->member.loop;
    measured_alike_ = std::all_of(slots_.begin(), slots_.end(), [&](const Slot* s) { return s->member.loop.measures_as(first); });
    model_->train();
    for (auto& item : model_->named_parameters()) {
      const auto own = of_members(item.key(), [](Architecture& m) { return m.named_parameters(); });
      const Tensor values = at::stack(detached(own));
      item.value().set_data(values);
      for (std::size_t i = 0; i < own.size(); ++i) own[i].set_data(values[static_cast<std::int64_t>(i)]);
      parameters_.emplace_back(item.value(), own);
    }
    for (auto& item : model_->named_buffers()) {
      const auto own = of_members(item.key(), [](Architecture& m) { return m.named_buffers(); });
      item.value().set_data(at::stack(detached(own)));
    }
    if (const auto& op = builder_.op()) {
      for (const auto& name : stacked_parameters(*op)) {
        std::vector<double> values;
        for (const auto* slot : slots_) values.push_back(slot->member.operator_numbers.at(name));
        set_stacked(*op, name, at::tensor(values, at::kDouble));
      }
    }
  }

  std::size_t size() const { return slots_.size(); }

  /// Computes the gradients and losses of all members' steps. Members that have ended are included, but their numbers mean nothing.
  void compute_gradients() {
    for (const auto& [parameter, own] : parameters_) parameter.mutable_grad().reset();
    const auto [inputs, targets] = batches_.gather();
    const Tensor losses = task().stacked_training_loss(*model_, inputs, targets);
    const Tensor values = losses.detach().to(at::kDouble).contiguous();
    losses.backward(at::ones_like(losses));
    const at::AutoDispatchBelowADInplaceOrView below;  // the slices need no autograd history, which would cost more than they do
    for (const auto& [parameter, own] : parameters_) {
      const auto gradients = of_each(parameter.grad(), own.size());
      for (std::size_t i = 0; i < own.size(); ++i) own[i].mutable_grad() = gradients[i];
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i]->step.loss = values.data_ptr<double>()[i];
  }

  /// The evaluation of all members, if all evaluate in the same way.
  void measure() {
    if (!measured_alike_) return;
    const auto rows = slots_.front()->member.loop.measure_stacked(*model_, static_cast<std::int64_t>(slots_.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) slots_[i]->step.measured = rows[i];
  }

 private:
  const StackedTask& task() const { return dynamic_cast<const StackedTask&>(slots_.front()->member.task); }
  static std::vector<MemberStep> steps_of(const std::vector<Slot*>& slots) {
    std::vector<MemberStep> out;
    for (auto* slot : slots) out.push_back({slot->member.loop, slot->step});
    return out;
  }
  template <class Named>
  std::vector<Tensor> of_members(const std::string& name, const Named& named) const {
    std::vector<Tensor> out;
    for (const auto* slot : slots_) out.push_back(named(slot->member.model)[name]);
    return out;
  }
  static std::vector<Tensor> detached(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> out;
    for (const auto& t : tensors) out.push_back(t.detach());
    return out;
  }

  /// Splits a gradient [S, ...] by member; the indices of a sparse one are (member, row).
  static std::vector<Tensor> of_each(const Tensor& gradient, std::size_t members) {
    if (!gradient.defined()) return std::vector<Tensor>(members);
    if (!gradient.is_sparse()) return gradient.unbind(0);
    const Tensor index = gradient._indices(), values = gradient._values();
    const Tensor starts = at::searchsorted(index[0].contiguous(), at::arange(static_cast<std::int64_t>(members) + 1)).contiguous();
    const auto* start = starts.data_ptr<std::int64_t>();
    std::vector<Tensor> out;
    for (std::size_t i = 0; i < members; ++i) {
      const auto count = start[i + 1] - start[i];
      out.push_back(at::_sparse_coo_tensor_unsafe(index.narrow(0, 1, index.size(0) - 1).narrow(1, start[i], count),
                                                  values.narrow(0, start[i], count), gradient.sizes().slice(1)));
    }
    return out;
  }

  std::vector<Slot*> slots_;
  ModelBuilder builder_;
  std::shared_ptr<Architecture> model_;
  std::vector<std::pair<Tensor, std::vector<Tensor>>> parameters_;  // the stack's, and the members', which are views of them
  StackedBatches batches_;
  bool measured_alike_ = false;
};

TrainOutcome TrainingStack::train(const StackMember& member) {
  Slot slot{member};
  std::unique_lock lock(mutex_);
  slots_.push_back(&slot);
  --missing_;  // the last member to arrive is not notified: its thread trains all
  changed_.wait(lock, [&] { return slot.over || (missing_ == 0 && !driven_); });
  if (!slot.over) {
    driven_ = true;
    lock.unlock();
    drive();
  }
  if (slot.error) std::rethrow_exception(slot.error);
  slot.outcome.stack = slot.stack;
  return slot.outcome;
}

void TrainingStack::leave() {
  const std::lock_guard lock(mutex_);
  --missing_;
  changed_.notify_all();
}

namespace {

/// The members that are still training. An error of one does not end the others.
template <class Slot>
class Members {
 public:
  Members(std::vector<Slot*> slots, std::mutex& mutex, std::condition_variable& changed)
      : going_(std::move(slots)), mutex_(mutex), changed_(changed) {}
  const std::vector<Slot*>& going() const { return going_; }

  /// Calls `act` with each member and keeps those that continue. `within` a step only an error ends a member.
  template <class Act>
  void keep(const Act& act, bool within = false) {
    std::vector<Slot*> left;
    for (auto* slot : going_) {
      if (goes_on(*slot, act, within)) {
        left.push_back(slot);
        continue;
      }
      const std::lock_guard lock(mutex_);
      slot->over = true;
      changed_.notify_all();
    }
    going_ = std::move(left);
  }

  /// Calls `act` for all members together; returns false after an error, which ends all of them.
  template <class Act>
  bool all(const Act& act) {
    try {
      act();
      return true;
    } catch (...) {
      const auto error = std::current_exception();
      keep([&](Slot&) { std::rethrow_exception(error); });
      return false;
    }
  }

 private:
  template <class Act>
  static bool goes_on(Slot& slot, const Act& act, bool within) {
    try {
      act(slot);
      if (within || !slot.member.loop.over()) return true;
      slot.outcome = slot.member.loop.finish();
    } catch (...) {
      slot.error = std::current_exception();
    }
    return false;
  }

  std::vector<Slot*> going_;
  std::mutex& mutex_;
  std::condition_variable& changed_;
};

}  // namespace

void TrainingStack::drive() {
  std::vector<Slot*> slots = slots_;  // all members have arrived
  std::sort(slots.begin(), slots.end(), [](const Slot* a, const Slot* b) { return a->member.place < b->member.place; });
  Members<Slot> members(std::move(slots), mutex_, changed_);
  const auto& going = members.going();
  std::optional<Stacked> stack;
  const auto stacked = [&]() -> Stacked& {
    if (!stack || stack->size() != going.size()) {
      stack.reset();
      stack.emplace(going);
    }
    return *stack;
  };
  const auto compute_gradients = [&] {
    const auto size = going.front()->step.size;
    const bool alike = std::all_of(going.begin(), going.end(), [&](const Slot* s) { return s->step.size == size; });
    if (!alike || going.size() == 1) {
      stack.reset();
      for (auto* slot : going) slot->member.loop.compute_gradients(slot->step);
      return;
    }
    stacked().compute_gradients();
    for (auto* slot : going) slot->stack = std::max(slot->stack, going.size());
  };
  /// If at least half of the members evaluate now, evaluates all of them together.
  const auto measure = [&](const auto& due) {
    const auto count = static_cast<std::size_t>(std::count_if(going.begin(), going.end(), due));
    if (going.size() > 1 && 2 * count >= going.size()) stacked().measure();
  };

  members.keep([](Slot& slot) { slot.member.loop.prepare(); }, true);
  if (!members.all([&] { measure([](const Slot* s) { return s->member.loop.begins_anew(); }); })) return;
  members.keep([](Slot& slot) { slot.member.loop.begin(slot.step.measured); });
  while (!going.empty()) {
    members.keep([](Slot& slot) { slot.step = slot.member.loop.begin_step(); });
    if (going.empty()) return;
    const auto begun = TrainingLoop::Clock::now();
    if (!members.all(compute_gradients)) return;
    // A stop request may arrive between two calls; asking twice makes all members stop at the same step, so that they resume together.
    const auto check_stop = [](Slot& slot) { slot.step.stop_requested = slot.member.loop.wants_stop(); };
    members.keep(check_stop);
    if (std::any_of(going.begin(), going.end(), [](const Slot* s) { return s->step.stop_requested.value_or(false); }))
      members.keep(check_stop);
    // Each member's time is its share of the total.
    const auto share = (TrainingLoop::Clock::now() - begun) / static_cast<std::int64_t>(going.size());
    members.keep(
        [&](Slot& slot) {
          slot.step.begun = TrainingLoop::Clock::now() - share;
          slot.member.loop.update(slot.step);
        },
        true);
    if (!members.all([&] { measure([](const Slot* s) { return s->member.loop.evaluation_due(s->step); }); })) return;
    members.keep([](Slot& slot) { slot.member.loop.end_step(slot.step); });
  }
}

}  // namespace yatlab
