// A device whose memory no CPU code can read: code that runs on it also runs on a GPU. It is built from LibTorch's support for third-party
// backends: tensors with an address space of their own.
//
// Each block of device memory is mapped twice. At the addresses in tensors nothing may be read or written (SIGSEGV, as on a GPU); the device's
// kernels, which are LibTorch's CPU kernels, work on the other mapping. New memory holds NaN. The device takes the place of LibTorch's type
// XPU, or HPU from LibTorch 2 on, which has its own kernels for XPU: LibTorch moves models only to types that it knows.
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

/// Enables trainer.device=guarded from here on. May be called again.
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

/// Counts operations that a GPU's queue would wait for, in all threads, during its lifetime.
class GuardedTraffic {
 public:
  struct Counts {
    /// The host reads a number, a tensor, or a number of elements (`nonzero`): it waits until all work is done.
    std::int64_t host_reads = 0;
    std::int64_t bytes_read = 0;
    /// Tensors copied to the device.
    std::int64_t sent = 0;
    std::int64_t bytes_sent = 0;
    /// Operations, each of which launches a kernel or more; views do not count.
    std::int64_t operations = 0;
    std::map<std::string, std::int64_t> by_name;  ///< "aten::mm": number of calls; includes host reads
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
