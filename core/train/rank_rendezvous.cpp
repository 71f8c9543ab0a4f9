#include "core/train/rank_rendezvous.h"

#include <fmt/format.h>

#include "core/base/error.h"

// Some versions of LibTorch define these for programs that link with it, others do not.
#if defined(YATLAB_GLOO) && !defined(USE_C10D_GLOO)
#define USE_C10D_GLOO
#endif
#if defined(YATLAB_NCCL) && !defined(USE_C10D_NCCL)
#define USE_C10D_NCCL
#endif

#include <ATen/ATen.h>

#ifdef YATLAB_GLOO
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#endif
#ifdef YATLAB_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include <algorithm>
#include <chrono>
#include <thread>

namespace yatlab {

#ifdef YATLAB_GLOO

namespace {

using at::Tensor;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kOver = "over";
constexpr const char* kHeard = "heard";
constexpr std::int64_t kMaxRendezvousSeconds = 300;  // seconds to wait for all ranks
constexpr std::int64_t kMaxLeaveSeconds = 30;

/// A library's error message without its details for developers.
std::string short_text(const std::exception& e) {
  std::string out = e.what();
  for (const char* mark : {"Exception raised from ", "\nframe #", "\n"}) {
    if (const auto at = out.find(mark); at != std::string::npos && at > 0) out.resize(at);
  }
  return out;
}

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }
std::vector<std::uint8_t> bytes_of_text(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

namespace {

/// From LibTorch 2.4 on a store uses libuv by default, but Debian's LibTorch is built without it.
template <class Options>
auto without_libuv(Options& options, int) -> decltype(options.useLibUV, void()) {
  options.useLibUV = false;
}
template <class Options>
void without_libuv(Options&, long) {}

c10::intrusive_ptr<c10d::TCPStore> open_store(const std::string& address, c10d::TCPStoreOptions options) {
  without_libuv(options, 0);
  return c10::make_intrusive<c10d::TCPStore>(address, options);
}

/// Prefixes the store's keys for one start of the ranks: torchrun's agent keeps its store when it restarts them.
c10::intrusive_ptr<c10d::Store> keys_of(const c10::intrusive_ptr<c10d::Store>& store, const std::string& attempt) {
  return c10::make_intrusive<c10d::PrefixStore>("yatlab" + attempt, store);
}

void report_to(c10d::Store& store, const std::string& why, bool failed) noexcept {
  try {
    if (store.add("leaving", 1) == 1) store.set("left", bytes_of_text((failed ? "f" : "t") + why));
  } catch (...) {  // nobody can receive it
  }
}

std::optional<ContactLost> reported_to(c10d::Store& store) noexcept {
  try {
    if (!store.check({"left"})) return std::nullopt;
    const auto text = text_of(store.get("left"));
    return ContactLost{text.substr(1), text[0] == 'f'};
  } catch (...) {  // rank 0 held the store, and is gone
    return std::nullopt;
  }
}

}  // namespace

struct RankStore::State {
  c10::intrusive_ptr<c10d::TCPStore> store;
  c10::intrusive_ptr<c10d::Store> keys;
};

RankStore::RankStore() : state_(std::make_unique<State>()) {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  state_->store = open_store(kLoopback, options);
  state_->keys = keys_of(state_->store, "");
}
RankStore::~RankStore() = default;
std::int64_t RankStore::port() const { return state_->store->getPort(); }
void RankStore::report(const std::string& why, bool failed) noexcept { report_to(*state_->keys, why, failed); }
std::optional<ContactLost> RankStore::reported() const noexcept { return reported_to(*state_->keys); }
bool RankStore::over() const noexcept {
  try {
    return state_->keys->check({kOver});
  } catch (...) {
    return false;
  }
}

struct RankRendezvous::State {
  c10::intrusive_ptr<c10d::Store> store;

  ContactLost lost(const std::exception& e) noexcept {
    try {
      if (auto said = reported_to(*store)) return *said;
      return {"lost contact with another rank: " + short_text(e), false};
    } catch (...) {
      return {};
    }
  }
};

namespace {

template <class Handle>
class C10dWork final : public ProcessGroup::Work {
 public:
  C10dWork(Handle handle, std::function<ContactLost(const std::exception&)> lost) : handle_(std::move(handle)), lost_(std::move(lost)) {}
  void wait() override {
    try {
      handle_->wait();
    } catch (const std::exception& e) {
      throw lost_(e);
    }
  }

 private:
  Handle handle_;
  std::function<ContactLost(const std::exception&)> lost_;
};

/// Gloo for tensors in CPU memory, NCCL for tensors on a GPU.
class C10dGroup final : public ProcessGroup {
 public:
  C10dGroup(const RankPlace& place, const c10::intrusive_ptr<c10d::Store>& store, const c10::Device& device,
            std::function<ContactLost(const std::exception&)> lost)
      : place_(place), store_(store), lost_(std::move(lost)) {
    auto options = c10d::ProcessGroupGloo::Options::create(milliseconds(seconds(place.patience)));
    const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
    const bool here = place.address == kLoopback || place.address == "localhost";
    options->devices.push_back(interface ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                               : here    ? c10d::ProcessGroupGloo::createDeviceForHostname(kLoopback)
                                         : c10d::ProcessGroupGloo::createDefaultDevice());
    const auto rank = static_cast<int>(place.rank), size = static_cast<int>(place.size);
    gloo_ = c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::PrefixStore>("gloo", store), rank, size, options);
#ifdef YATLAB_NCCL
    if (device.is_cuda())
      nccl_ = c10::make_intrusive<c10d::ProcessGroupNCCL>(c10::make_intrusive<c10d::PrefixStore>("nccl", store), rank, size);
#else
    if (device.is_cuda()) {
      throw config_error("several ranks on a GPU need NCCL", "trainer.device", "this program was built without NCCL",
                         "use one rank, or trainer.device=cpu");
    }
#endif
  }
  /// Without `leave`, the group's threads may wait for ranks that are gone, and its destructor for the threads. So it is leaked; the process ends
  /// soon.
  ~C10dGroup() override {
    if (left_) return;
    (void)gloo_.release();
#ifdef YATLAB_NCCL
    (void)nccl_.release();
#endif
  }

  std::int64_t rank() const override { return place_.rank; }
  std::int64_t size() const override { return place_.size; }

  std::unique_ptr<Work> all_reduce(const Tensor& tensor, Reduce reduce) override {
    c10d::AllreduceOptions options;
    options.reduceOp = reduce == Reduce::kSum ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX;
    std::vector<Tensor> tensors{tensor};
    return begun(tensor, [&](auto& group) { return group.allreduce(tensors, options); });
  }
  void broadcast(const Tensor& tensor) override {
    std::vector<Tensor> tensors{tensor};
    begun(tensor, [&](auto& group) { return group.broadcast(tensors); })->wait();
  }
  std::vector<Tensor> all_gather(const Tensor& tensor) override {
    std::vector<std::vector<Tensor>> out(1);
    for (std::int64_t r = 0; r < size(); ++r) out[0].push_back(at::empty_like(tensor));
    std::vector<Tensor> in{tensor};
    begun(tensor, [&](auto& group) { return group.allgather(out, in); })->wait();
    return out[0];
  }
  void leave() override {
    begun({}, [&](auto& group) {
      if (place_.rank == 0) store_->set(kOver, bytes_of_text("yes"));
      return group.barrier();
    })->wait();
    left_ = true;
  }

 private:
  template <class Begin>
  std::unique_ptr<Work> begun(const Tensor& tensor, const Begin& begin) {
    try {
#ifdef YATLAB_NCCL
      if (tensor.defined() && tensor.is_cuda()) return work(begin(*nccl_));
#else
      (void)tensor;
#endif
      return work(begin(*gloo_));
    } catch (const std::exception& e) {
      throw lost_(e);
    }
  }
  template <class Handle>
  std::unique_ptr<Work> work(Handle handle) const {
    return std::make_unique<C10dWork<Handle>>(std::move(handle), lost_);
  }

  RankPlace place_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::function<ContactLost(const std::exception&)> lost_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
#ifdef YATLAB_NCCL
  c10::intrusive_ptr<c10d::ProcessGroupNCCL> nccl_;
#endif
  bool left_ = false;
};

std::string ready_key(std::int64_t rank) { return fmt::format("ready/{}", rank); }
std::string size_key(std::int64_t rank) { return fmt::format("size/{}", rank); }

Error no_answer(const RankPlace& place, const std::string& who, const std::string& why) {
  return config_error(fmt::format("rank {} of {}: {}", place.rank, place.size, who),
                      fmt::format("MASTER_ADDR={} MASTER_PORT={}", place.address, place.port), why,
                      "start all ranks with the address and port of rank 0");
}

void require_same_size(const RankPlace& place, std::int64_t other, const std::string& size) {
  if (size == std::to_string(place.size)) return;
  throw config_error(fmt::format("rank {} expects {} ranks, but rank {} expects {}", place.rank, place.size, other, size), place.from,
                     "all ranks must expect the same number of ranks", "start all of them with one command, or with the same WORLD_SIZE");
}

}  // namespace

std::string why_no_ranks() { return {}; }

RankRendezvous::RankRendezvous(const RankPlace& place) : place_(place), state_(std::make_shared<State>()) {
  const auto wait = seconds(std::min(place.patience, kMaxRendezvousSeconds));
  const bool hosts = place.rank == 0 && !place.store_is_there;
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.port);
  options.isServer = hosts;
  options.waitWorkers = false;
  options.timeout = wait;
  try {
    const auto store = open_store(place.address, options);
    state_->store = keys_of(store, place.attempt);
    if (state_->store->add(fmt::format("here/{}", place.rank), 1) > 1) {
      throw config_error(fmt::format("two processes have rank {} of {}", place.rank, place.size), place.from, {},
                         "give every process a different rank");
    }
    state_->store->set(size_key(place.rank), bytes_of_text(std::to_string(place.size)));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw no_answer(place, hosts ? "cannot listen" : fmt::format("nobody answered within {} seconds", wait.count()), short_text(e));
  }
  if (place.rank == 0) return;
  try {
    require_same_size(place, 0, text_of(state_->store->get(size_key(0))));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw no_answer(place, fmt::format("rank 0 did not answer within {} seconds", wait.count()), short_text(e));
  }
}
RankRendezvous::~RankRendezvous() = default;

void RankRendezvous::announce(bool together) {
  if (announced_) return;
  announced_ = true;
  state_->store->set("together", bytes_of_text(together ? "yes" : "no"));
}

bool RankRendezvous::wanted(const std::function<bool()>& stop) {
  auto& store = *state_->store;
  try {
    while (!stop()) {
      const bool announced = store.check({"together"});
      const auto said = announced ? std::nullopt : reported_to(store);
      const bool together = announced && text_of(store.get("together")) == "yes";
      if (announced || said) store.add(kHeard, 1);
      if (said) throw ContactLost(*said);
      if (announced) return together;
      std::this_thread::sleep_for(milliseconds(20));
    }
  } catch (const std::exception& e) {
    throw ContactLost{"rank 0 has ended: " + short_text(e), false};
  }
  return false;
}

void RankRendezvous::wait_until_all_left() {
  if (place_.store_is_there || place_.rank != 0) return;
  const auto until = std::chrono::steady_clock::now() + seconds(std::min(place_.patience, kMaxLeaveSeconds));
  try {
    while (state_->store->add(kHeard, 0) < place_.size - 1 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(milliseconds(5));
  } catch (const std::exception&) {  // its own store failed: the other ranks cannot be informed
  }
}

std::shared_ptr<ProcessGroup> RankRendezvous::join(const c10::Device& device) {
  const auto state = state_;
  const auto lost = [state](const std::exception& e) { return state->lost(e); };
  const auto until = std::chrono::steady_clock::now() + seconds(std::min(place_.patience, kMaxRendezvousSeconds));
  try {
    // For a rank that never arrives, Gloo would wait long and could not say why.
    state->store->set(ready_key(place_.rank), std::vector<std::uint8_t>());
    for (std::int64_t r = 0; r < place_.size; ++r) {
      while (!state->store->check({ready_key(r)})) {
        if (auto said = reported_to(*state->store)) throw ContactLost(*said);
        if (std::chrono::steady_clock::now() > until)
          throw no_answer(place_, fmt::format("rank {} did not answer in time", r), "it was not started, or died");
        std::this_thread::sleep_for(milliseconds(20));
      }
      require_same_size(place_, r, text_of(state->store->get(size_key(r))));
    }
    return std::make_shared<C10dGroup>(place_, state->store, device, lost);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw lost(e);
  }
}

void RankRendezvous::report(const std::string& why) noexcept {
  try {
    report_to(*state_->store, fmt::format("rank {}: {}", place_.rank, why), true);
  } catch (...) {  // out of memory
  }
}

#else  // without Gloo

struct RankStore::State {};
struct RankRendezvous::State {};

std::string why_no_ranks() { return "this program was built without Gloo, which ranks need to communicate"; }

namespace {
Error without_gloo() {
  return config_error("training on several ranks is not available", {}, why_no_ranks(),
                      "install libgloo-dev and build again; or use one rank");
}
}  // namespace

RankStore::RankStore() { throw without_gloo(); }
RankStore::~RankStore() = default;
std::int64_t RankStore::port() const { return 0; }
void RankStore::report(const std::string&, bool) noexcept {}
std::optional<ContactLost> RankStore::reported() const noexcept { return {}; }
bool RankStore::over() const noexcept { return false; }
RankRendezvous::RankRendezvous(const RankPlace& place) : place_(place) { throw without_gloo(); }
RankRendezvous::~RankRendezvous() = default;
void RankRendezvous::announce(bool) {}
void RankRendezvous::wait_until_all_left() {}
bool RankRendezvous::wanted(const std::function<bool()>&) { return false; }
std::shared_ptr<ProcessGroup> RankRendezvous::join(const c10::Device&) { return nullptr; }
void RankRendezvous::report(const std::string&) noexcept {}

#endif

}  // namespace yatlab
