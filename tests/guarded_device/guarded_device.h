// A device whose memory no CPU code can read: what runs on it runs on a GPU, too. Made of what LibTorch has for backends of others: its own
// tensors, with an address space of its own.
//
// Each block of the device is memory that is mapped twice: where tensors point to nothing may be read or written (SIGSEGV, as it would be on
// a GPU), and the device's kernels, which are LibTorch's own for the CPU, work on the other mapping. New memory holds NaN. It stands in for
// a device of LibTorch's type XPU, or HPU from LibTorch 2 on, which has kernels of its own for XPU: LibTorch moves models to types that it knows, alone.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/DispatchKey.h>
#include <torch/version.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace yatlab::testing {

/// trainer.device=guarded, from here on. May be called again.
void add_guarded_device();

#if TORCH_VERSION_MAJOR >= 2
#define YATLAB_GUARDED HPU
inline constexpr auto kGuardedAutograd = c10::DispatchKey::AutogradHPU;
#else
#define YATLAB_GUARDED XPU
inline constexpr auto kGuardedAutograd = c10::DispatchKey::AutogradXPU;
#endif
inline constexpr auto kGuardedKey = c10::DispatchKey::YATLAB_GUARDED;
inline const c10::Device kGuarded{c10::DeviceType::YATLAB_GUARDED, 0};

/// Counts, while it lives, what a GPU's queue would wait for, in all threads.
class GuardedTraffic {
 public:
  struct Counts {
    /// The host reads a number, a tensor, or how many elements there are (`nonzero`): it waits until all work is done.
    std::int64_t host_reads = 0;
    std::int64_t bytes_read = 0;
    /// Tensors that are sent to the device.
    std::int64_t sent = 0;
    std::int64_t bytes_sent = 0;
    /// Operations, each of which is a kernel or more; views are none.
    std::int64_t operations = 0;
    std::map<std::string, std::int64_t> by_name;  ///< "aten::mm": how often. Host reads, too.
  };

  GuardedTraffic();
  ~GuardedTraffic();
  GuardedTraffic(const GuardedTraffic&) = delete;
  GuardedTraffic& operator=(const GuardedTraffic&) = delete;

  Counts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yatlab::testing
