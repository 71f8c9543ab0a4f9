#include "core/train/training_stack.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"

namespace yatlab {

struct TrainingStack::Seat {
  const StackMember& member;
  bool over = false;
  TrainOutcome outcome = {};
  std::exception_ptr error = nullptr;
  TrainingLoop::Step step = {};
  std::size_t stack = 0;  ///< members that it was trained with, itself among them
};

/// The models of some members as one.
class TrainingStack::Stacked {
 public:
  explicit Stacked(std::vector<Seat*> seats)
      : seats_(std::move(seats)), builder_(seats_.front()->member.another()), model_(builder_.build()) {
    const at::NoGradGuard no_grad;
    const auto& first = seats_.front()->member.loop;
    measured_alike_ = std::all_of(seats_.begin(), seats_.end(), [&](const Seat* s) { return s->member.loop.measures_as(first); });
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
      for (const auto& name : op->stacked_parameters()) {
        std::vector<double> values;
        for (const auto* seat : seats_) values.push_back(seat->member.operator_numbers.at(name));
        op->set_stacked(name, at::tensor(values, at::kDouble));
      }
    }
  }

  std::size_t size() const { return seats_.size(); }

  /// The gradients of all members at their steps, and their losses. A member that is over counts too, and its numbers mean nothing.
  void compute_gradients() {
    for (const auto& [parameter, own] : parameters_) parameter.mutable_grad().reset();
    const auto [inputs, targets] = batches();
    const Tensor losses = seats_.front()->member.task.stacked_loss(model_->forward(inputs), targets);
    const Tensor values = losses.detach().to(at::kDouble).contiguous();
    losses.backward(at::ones_like(losses));
    const at::AutoDispatchBelowADInplaceOrView below;  // gradients' parts need no history, which takes longer to make than they do
    for (const auto& [parameter, own] : parameters_) {
      const auto gradients = parameter.grad().defined() ? parameter.grad().unbind(0) : std::vector<Tensor>(own.size());
      for (std::size_t i = 0; i < own.size(); ++i) own[i].mutable_grad() = gradients[i];
    }
    for (std::size_t i = 0; i < seats_.size(); ++i) seats_[i]->step.loss = values.data_ptr<double>()[i];
  }

  /// What the members are about to measure, where all do so alike.
  void measure() {
    if (!measured_alike_) return;
    const auto rows = seats_.front()->member.loop.measure_stacked(*model_, static_cast<std::int64_t>(seats_.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) seats_[i]->step.measured = rows[i];
  }

 private:
  template <class Named>
  std::vector<Tensor> of_members(const std::string& name, const Named& named) const {
    std::vector<Tensor> out;
    for (const auto* seat : seats_) out.push_back(named(seat->member.model)[name]);
    return out;
  }
  static std::vector<Tensor> detached(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> out;
    for (const auto& t : tensors) out.push_back(t.detach());
    return out;
  }

  /// Inputs [G, B, ...] and targets [S, B, ...]: where the same number of neighbours see the same batch, G counts batches; otherwise members.
  std::pair<Tensor, Tensor> batches() {
    std::vector<std::size_t> first;  // members that see another batch than the one before
    std::optional<BatchPlace> before;
    for (std::size_t i = 0; i < seats_.size(); ++i) {
      const auto place = seats_[i]->member.loop.place_of(seats_[i]->step);
      if (!before || !(place == *before)) first.push_back(i);
      before = place;
    }
    const auto each = seats_.size() / first.size();
    bool regular = each * first.size() == seats_.size();
    for (std::size_t g = 0; g < first.size(); ++g) regular = regular && first[g] == g * each;
    if (!regular) {
      first.resize(seats_.size());
      for (std::size_t i = 0; i < first.size(); ++i) first[i] = i;
    }
    const auto groups = static_cast<std::int64_t>(first.size()), members = static_cast<std::int64_t>(seats_.size()) / groups;
    if (groups == 1) {
      const Batch batch = batch_of(0);
      return {batch.inputs.unsqueeze(0), batch.targets.unsqueeze(0).expand(shape_of(batch.targets, members))};
    }
    for (std::int64_t g = 0; g < groups; ++g) {
      const auto i = first[static_cast<std::size_t>(g)];
      const bool ready = inputs_.defined() && inputs_.size(0) == groups;
      if (ready) seats_[i]->member.loop.gather_into(inputs_[g], targets_[g]);
      const Batch batch = batch_of(i);
      if (!ready) {  // the first time: now their shape is known
        inputs_ = at::empty(buffer_shape(batch.inputs, i, groups), batch.inputs.options());
        targets_ = at::empty(buffer_shape(batch.targets, i, groups), batch.targets.options());
      }
      // A view of the data, where the order is the data's own, is not in the buffer yet.
      const Tensor in = inputs_[g].narrow(0, 0, batch.inputs.size(0)), out = targets_[g].narrow(0, 0, batch.targets.size(0));
      if (batch.inputs.data_ptr() != in.data_ptr()) {
        in.copy_(batch.inputs);
        out.copy_(batch.targets);
      }
    }
    const auto size = seats_.front()->step.size;
    return {inputs_.narrow(1, 0, size), targets_.narrow(1, 0, size).repeat_interleave(members, 0)};
  }
  Batch batch_of(std::size_t i) { return seats_[i]->member.loop.batch_of(seats_[i]->step); }
  std::vector<std::int64_t> buffer_shape(const Tensor& batch, std::size_t i, std::int64_t count) const {
    auto out = shape_of(batch, count);
    out[1] = seats_[i]->member.loop.largest_batch();
    return out;
  }
  static std::vector<std::int64_t> shape_of(const Tensor& batch, std::int64_t count) {
    auto out = batch.sizes().vec();
    out.insert(out.begin(), count);
    return out;
  }

  std::vector<Seat*> seats_;
  ModelBuilder builder_;
  std::shared_ptr<Architecture> model_;
  std::vector<std::pair<Tensor, std::vector<Tensor>>> parameters_;  // the stack's, and those of the members, which are views of them
  Tensor inputs_, targets_;                                         // [G, B, ...]
  bool measured_alike_ = false;
};

TrainOutcome TrainingStack::train(const StackMember& member) {
  Seat seat{member};
  std::unique_lock lock(mutex_);
  seats_.push_back(&seat);
  --missing_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return seat.over || (missing_ == 0 && !driven_); });
  if (!seat.over) {
    driven_ = true;
    lock.unlock();
    drive();
  }
  if (seat.error) std::rethrow_exception(seat.error);
  seat.outcome.stack = seat.stack;
  return seat.outcome;
}

void TrainingStack::leave() {
  const std::lock_guard lock(mutex_);
  --missing_;
  changed_.notify_all();
}

void TrainingStack::drive() {
  std::vector<Seat*> going = seats_;  // nobody comes any more
  std::sort(going.begin(), going.end(), [](const Seat* a, const Seat* b) { return a->member.place < b->member.place; });

  /// What concerns one member ends no other. True while it goes on. `within` a step nothing but an error ends it.
  const auto guarded = [](Seat& seat, const auto& act, bool within) {
    try {
      act(seat);
      if (within || !seat.member.loop.over()) return true;
      seat.outcome = seat.member.loop.finish();
    } catch (...) {
      seat.error = std::current_exception();
    }
    return false;
  };
  const auto keep = [&](const auto& act, bool within = false) {
    std::vector<Seat*> left;
    for (auto* seat : going) {
      if (guarded(*seat, act, within)) {
        left.push_back(seat);
        continue;
      }
      const std::lock_guard lock(mutex_);
      seat->over = true;
      changed_.notify_all();
    }
    going = std::move(left);
  };

  /// What concerns them all: an error ends each of them. False then.
  const auto all = [&](const auto& act) {
    try {
      act();
      return true;
    } catch (...) {
      const auto error = std::current_exception();
      keep([&](Seat&) { std::rethrow_exception(error); });
      return false;
    }
  };
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
    const bool alike = std::all_of(going.begin(), going.end(), [&](const Seat* s) { return s->step.size == size; });
    if (!alike || going.size() == 1) {
      stack.reset();
      for (auto* seat : going) seat->member.loop.compute_gradients(seat->step);
      return;
    }
    stacked().compute_gradients();
    for (auto* seat : going) seat->stack = std::max(seat->stack, going.size());
  };
  /// What most of them are about to measure is measured of all at once.
  const auto measure = [&](const auto& due) {
    const auto count = static_cast<std::size_t>(std::count_if(going.begin(), going.end(), due));
    if (going.size() > 1 && 2 * count >= going.size()) stacked().measure();
  };

  keep([](Seat& seat) { seat.member.loop.prepare(); }, true);
  if (!all([&] { measure([](const Seat* s) { return s->member.loop.begins_anew(); }); })) return;
  keep([](Seat& seat) { seat.member.loop.begin(seat.step.measured); });
  while (!going.empty()) {
    keep([](Seat& seat) { seat.step = seat.member.loop.begin_step(); });
    if (going.empty()) return;
    const auto begun = TrainingLoop::Clock::now();
    if (!all(compute_gradients)) return;
    // A request to all of them comes at some moment: then they stop at one step, and go on together with the same bytes.
    const auto ask = [](Seat& seat) { seat.step.asked = seat.member.loop.asked_to_stop(); };
    keep(ask);
    if (std::any_of(going.begin(), going.end(), [](const Seat* s) { return s->step.asked.value_or(false); })) keep(ask);
    // Each counts its share of the time.
    const auto share = (TrainingLoop::Clock::now() - begun) / static_cast<std::int64_t>(going.size());
    keep(
        [&](Seat& seat) {
          seat.step.begun = TrainingLoop::Clock::now() - share;
          seat.member.loop.update(seat.step);
        },
        true);
    if (!all([&] { measure([](const Seat* s) { return s->member.loop.evaluation_due(s->step); }); })) return;
    keep([](Seat& seat) { seat.member.loop.end_step(seat.step); });
  }
}

}  // namespace yatlab
