#include "guarded_device/guarded_device.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <sys/mman.h>
#include <torch/library.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/train/device.h"

namespace yatlab::testing {
namespace {

constexpr auto kType = c10::DeviceType::YATLAB_GUARDED;

// --- memory ---

/// The device's memory: a range of inaccessible addresses, and a second mapping of the same memory for kernels.
class Arena {
 public:
  static Arena& get() {
    static Arena& all = *new Arena;
    return all;
  }

  void* allocate(std::size_t bytes) {
    const auto size = rounded(bytes);
    const std::lock_guard<std::mutex> lock(mutex_);
    auto it = std::find_if(free_.begin(), free_.end(), [&](const auto& range) { return range.second >= size; });
    if (it == free_.end()) throw std::bad_alloc();
    const auto offset = it->first, left = it->second - size;
    free_.erase(it);
    if (left > 0) free_[offset + size] = left;
    used_[offset] = bytes;
    live_ += static_cast<std::int64_t>(bytes);
    std::memset(kernels_ + offset, 0xFF, size);  // NaN, -1, true
    c10::reportMemoryUsageToProfiler(guarded_ + offset, static_cast<std::int64_t>(bytes), live_, live_, kGuarded);
    return guarded_ + offset;
  }

  void release(void* pointer) {
    const auto offset = static_cast<std::size_t>(static_cast<char*>(pointer) - guarded_);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto bytes = used_.at(offset);
    used_.erase(offset);
    live_ -= static_cast<std::int64_t>(bytes);
    auto size = rounded(bytes);
    ::madvise(kernels_ + offset, size, MADV_REMOVE);
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + size == next->first) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin() && std::prev(next)->first + std::prev(next)->second == offset) {
      std::prev(next)->second += size;
    } else {
      free_[offset] = size;
    }
    c10::reportMemoryUsageToProfiler(pointer, -static_cast<std::int64_t>(bytes), live_, live_, kGuarded);
  }

  /// The kernels' address of device memory at `pointer`.
  char* for_kernels(const void* pointer) const { return kernels_ + (static_cast<const char*>(pointer) - guarded_); }
  bool is_for_kernels(const void* pointer) const {
    const auto* p = static_cast<const char*>(pointer);
    return p >= kernels_ && p < kernels_ + kSize;
  }

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 36, kPage = 4096;  // address space

  Arena() {
    const int file = ::memfd_create("guarded", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(kSize)) != 0) throw std::runtime_error("no memory for the guarded device");
    void* const guarded = ::mmap(nullptr, kSize, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    void* const kernels = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (guarded == MAP_FAILED || kernels == MAP_FAILED) throw std::runtime_error("no addresses for the guarded device");
    guarded_ = static_cast<char*>(guarded);
    kernels_ = static_cast<char*>(kernels);
    free_[0] = kSize;
  }
  static std::size_t rounded(std::size_t bytes) { return (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage; }

  std::mutex mutex_;
  char *guarded_, *kernels_;
  std::map<std::size_t, std::size_t> free_, used_;  // by offset: bytes, rounded and as requested
  std::int64_t live_ = 0;
};

struct Allocator final : c10::Allocator {
#if TORCH_VERSION_MAJOR >= 2
  c10::DataPtr allocate(std::size_t bytes) override { return held(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(Arena::get().for_kernels(to), Arena::get().for_kernels(from), bytes);
  }
#else
  c10::DataPtr allocate(std::size_t bytes) const override { return held(bytes); }
#endif
  static c10::DataPtr held(std::size_t bytes) {
    void* const pointer = Arena::get().allocate(bytes);
    return {pointer, pointer, &release, kGuarded};
  }
  static void release(void* pointer) {
    if (pointer) Arena::get().release(pointer);
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
};
Allocator& allocator() {
  static Allocator& it = *new Allocator;
  return it;
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  static constexpr c10::DeviceType static_type = kType;
  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device) const override { return kGuarded; }
  c10::Device getDevice() const override { return kGuarded; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device d) const noexcept override { return c10::Stream(c10::Stream::DEFAULT, d); }
  c10::Stream exchangeStream(c10::Stream s) const noexcept override { return s; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void**, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {}
};

// --- counting ---

struct Counting {
  std::mutex mutex;
  std::set<GuardedTraffic::Counts*> to;
};
Counting& counting() {
  static Counting& all = *new Counting;
  return all;
}

template <class Change>
void count(const Change& change) {
  auto& all = counting();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (auto* const counts : all.to) change(*counts);
}

/// Operations with a result size known only when the device has finished.
bool waits(const std::string& name) {
  static const std::set<std::string> all = {"aten::nonzero",
                                            "aten::masked_select",
                                            "aten::equal",
                                            "aten::_unique2",
                                            "aten::unique_dim",
                                            "aten::is_nonzero",
                                            "aten::_local_scalar_dense",
                                            "aten::repeat_interleave",
                                            "aten::bincount"};
  return all.count(name) > 0;
}

bool is_mask(const c10::IValue& value) {
  const auto mask = [](const at::Tensor& t) { return t.defined() && (t.scalar_type() == at::kBool || t.scalar_type() == at::kByte); };
  if (!value.isList()) return false;
  for (const c10::IValue& item : value.toListRef()) {
    if (item.isTensor() && mask(item.toTensor())) return true;
  }
  return false;
}

// --- operations ---

/// The same elements as a CPU tensor, for the device's kernels.
at::Tensor for_kernels(const at::Tensor& t) {
  if (!t.defined() || t.device().type() != kType) return t;
  TORCH_CHECK(t.layout() == at::kStrided, "the guarded device has dense tensors only");
  const auto& storage = t.storage();
  const auto elements = static_cast<std::int64_t>(storage.nbytes() / t.element_size());
  return at::from_blob(Arena::get().for_kernels(storage.data()), {elements}, at::TensorOptions(t.scalar_type()))
      .as_strided(t.sizes(), t.strides(), t.storage_offset());
}

at::Tensor empty_like_kernels(const at::Tensor& t) {
  return at::empty_strided(t.sizes(), t.strides(), at::TensorOptions(t.scalar_type()).device(kGuarded));
}

/// Runs an operation with the CPU's kernel on the device's memory, with its results on the device.
class OnDevice {
 public:
  OnDevice(const c10::OperatorHandle& op, torch::jit::Stack& stack)
      : schema_(op.schema()), stack_(stack), first_(stack.size() - schema_.arguments().size()) {
    const auto name = schema_.name();
    bool wait = waits(name);
    for (std::size_t i = 0; i < schema_.arguments().size(); ++i) {
      auto& value = stack_[first_ + i];
      given_.push_back(value);
      wait = wait || ((name == "aten::index" || name == "aten::index_put_" || name == "aten::_index_put_impl_") && is_mask(value));
      value = argument(value, schema_.arguments()[i]);
      host_.push_back(value);
    }
    count([&](GuardedTraffic::Counts& c) {
      ++c.operations;
      ++c.by_name[name];
      if (wait) ++c.host_reads;
    });
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack_);
    for (std::size_t i = 0; i < grown_.size(); ++i) {  // tensors that were empty and have grown
      const auto& [device, host] = grown_[i];
      if (host.numel() == 0) continue;
      device.resize_(host.sizes());
      for_kernels(device).copy_(host);
    }
    const auto results = schema_.returns().size(), begin = stack_.size() - results;
    for (std::size_t i = 0; i < results; ++i) stack_[begin + i] = result(stack_[begin + i], schema_.returns()[i]);
  }

 private:
  c10::IValue argument(const c10::IValue& value, const c10::Argument& declared) {
    const bool written = declared.alias_info() && declared.alias_info()->isWrite();
    if (value.isTensor()) return tensor(value.toTensor(), written);
    if (value.isDevice()) return c10::Device(c10::kCPU);
    if (value.isTensorList()) {
      c10::List<at::Tensor> out;
      for (const at::Tensor& t : value.toTensorVector()) out.push_back(tensor(t, written));
      return out;
    }
    if (value.isOptionalTensorList()) {
      c10::List<c10::optional<at::Tensor>> out;
      for (const c10::optional<at::Tensor>& t : value.toOptionalTensorVector())
        out.push_back(t.has_value() ? c10::optional<at::Tensor>(for_kernels(*t)) : t);
      return out;
    }
    return value;
  }

  at::Tensor tensor(const at::Tensor& t, bool written) {
    if (!written || !t.defined() || t.device().type() != kType || t.numel() != 0) return for_kernels(t);
    at::Tensor host = at::empty(t.sizes(), at::TensorOptions(t.scalar_type()));  // may be enlarged
    grown_.emplace_back(t, host);
    return host;
  }

  c10::IValue result(const c10::IValue& value, const c10::Argument& declared) {
    if (value.isTensor()) {
      if (declared.alias_info() && declared.alias_info()->isWrite()) return argument_of(*declared.alias_info());
      return on_device(value.toTensor());
    }
    if (value.isTensorList()) {
      c10::List<at::Tensor> out;
      for (const at::Tensor& t : value.toTensorVector()) out.push_back(on_device(t));
      return out;
    }
    return value;
  }

  /// The argument that the operation's schema declares as returned.
  c10::IValue argument_of(const c10::AliasInfo& alias) const {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const auto* const own = schema_.arguments()[i].alias_info();
      if (own && own->beforeSets() == alias.beforeSets()) return given_[i];
    }
    throw std::logic_error("no argument is returned by " + schema_.name());
  }

  at::Tensor on_device(const at::Tensor& t) const {
    if (!t.defined()) return t;
    if (Arena::get().is_for_kernels(t.storage().data())) {  // a view
      for (const auto& value : given_) {
        if (!value.isTensor() || !value.toTensor().defined() || value.toTensor().device().type() != kType) continue;
        const at::Tensor& base = value.toTensor();
        if (Arena::get().for_kernels(base.storage().data()) == static_cast<const char*>(t.storage().data()))
          return at::native::as_strided_tensorimpl(base, t.sizes(), t.strides(), t.storage_offset());
      }
      throw std::logic_error("a view of nothing that was given to " + schema_.name());
    }
    at::Tensor out = empty_like_kernels(t);
    for_kernels(out).copy_(t);
    return out;
  }

  const c10::FunctionSchema& schema_;
  torch::jit::Stack& stack_;
  std::size_t first_;
  std::vector<c10::IValue> given_;
  std::vector<c10::IValue> host_;  // LibTorch reads returned arguments (nll_loss_forward's) after releasing them
  std::vector<std::pair<at::Tensor, at::Tensor>> grown_;
};

void any_operation(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const at::AutoDispatchBelowADInplaceOrView below;
  OnDevice(op, *stack);
}

at::Tensor empty(at::IntArrayRef size, c10::optional<at::ScalarType> type, c10::optional<at::Layout>, c10::optional<at::Device>,
                 c10::optional<bool>, c10::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &allocator(), c10::DispatchKeySet(kGuardedKey), c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, c10::optional<at::ScalarType> type, c10::optional<at::Layout>,
                         c10::optional<at::Device>, c10::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &allocator(), c10::DispatchKeySet(kGuardedKey), c10::dtype_or_default(type));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  const at::AutoDispatchBelowADInplaceOrView below;
  count([&](GuardedTraffic::Counts& c) {
    ++c.by_name[from.is_cpu() ? "send" : to.is_cpu() ? "read" : "copy"];
    if (from.is_cpu()) {
      ++c.sent;
      c.bytes_sent += static_cast<std::int64_t>(from.nbytes());
    } else if (to.is_cpu()) {
      ++c.host_reads;
      c.bytes_read += static_cast<std::int64_t>(from.nbytes());
    } else {
      ++c.operations;
    }
  });
  for_kernels(to).copy_(for_kernels(from));
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  to.resize_(from.sizes());
  return copy_from(from, to, false);
}

at::Scalar local_scalar_dense(const at::Tensor& t) {
  const at::AutoDispatchBelowADInplaceOrView below;
  count([&](GuardedTraffic::Counts& c) {
    ++c.host_reads;
    c.bytes_read += static_cast<std::int64_t>(t.nbytes());
    ++c.by_name["aten::_local_scalar_dense"];
  });
  return for_kernels(t).item();
}

const at::Tensor& resize(const at::Tensor& self, at::IntArrayRef size, c10::optional<at::MemoryFormat>) {
  auto* const impl = self.unsafeGetTensorImpl();
  impl->set_sizes_contiguous(size);
  const auto bytes = static_cast<std::size_t>(impl->numel() + impl->storage_offset()) * self.element_size();
  if (const auto& storage = self.storage(); storage.nbytes() < bytes) {
    auto larger = allocator().allocate(bytes);
    if (storage.nbytes() > 0)
      std::memcpy(Arena::get().for_kernels(larger.get()), Arena::get().for_kernels(storage.data()), storage.nbytes());
    storage.set_data_ptr_noswap(std::move(larger));
    storage.set_nbytes(bytes);
  }
  return self;
}

REGISTER_ALLOCATOR(kType, &allocator());
C10_REGISTER_GUARD_IMPL(YATLAB_GUARDED, Guard);

}  // namespace

TORCH_LIBRARY_IMPL(aten, YATLAB_GUARDED, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", local_scalar_dense);
  m.impl("resize_", resize);
  m.impl("as_strided", [](const at::Tensor& t, at::IntArrayRef size, at::IntArrayRef stride, c10::optional<std::int64_t> offset) {
    return at::native::as_strided_tensorimpl(t, size, stride, offset);
  });
  m.impl("view", [](const at::Tensor& t, at::IntArrayRef size) { return at::native::view(t, size); });
  m.impl("_reshape_alias",
         [](const at::Tensor& t, at::IntArrayRef size, at::IntArrayRef stride) { return at::native::_reshape_alias(t, size, stride); });
}

TORCH_LIBRARY_IMPL(_, YATLAB_GUARDED, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&any_operation>()); }

void add_guarded_device() {
  static std::once_flag once;
  std::call_once(once, [] {
    // A list counts as one operation, as on a GPU: from LibTorch 2 on it would otherwise be split up first.
    static torch::Library lists(torch::Library::IMPL, "aten", kGuardedKey, __FILE__, __LINE__);
    for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
      if (name.name.rfind("aten::_foreach_", 0) != 0) continue;
      const std::string whole = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
      lists.impl(whole.c_str(), torch::CppFunction::makeFromBoxedFunction<&any_operation>());
    }
    DeviceKind kind;
    kind.name = "guarded";
    kind.type = kType;
    // The CPU's generator, so that random numbers on both devices are the same.
    kind.generator = [](std::uint64_t seed) { return at::make_generator<at::CPUGeneratorImpl>(seed); };
    add_device_kind(std::move(kind));
  });
}

struct GuardedTraffic::State {
  Counts counts;
};

GuardedTraffic::GuardedTraffic() : state_(std::make_unique<State>()) {
  const std::lock_guard<std::mutex> lock(counting().mutex);
  counting().to.insert(&state_->counts);
}

GuardedTraffic::~GuardedTraffic() {
  const std::lock_guard<std::mutex> lock(counting().mutex);
  counting().to.erase(&state_->counts);
}

GuardedTraffic::Counts GuardedTraffic::counts() const {
  const std::lock_guard<std::mutex> lock(counting().mutex);
  return state_->counts;
}

}  // namespace yatlab::testing
