#include "core/train/device.h"

#include "catch.h"
#include "core/base/error.h"

namespace yatlab {

TEST_CASE("devices are called as in PyTorch", "[device]") {
  CHECK(device_of("cpu") == c10::Device(c10::kCPU));
  CHECK(device_of("cuda") == c10::Device(c10::kCUDA));
  CHECK(device_of("cuda:3") == c10::Device(c10::kCUDA, 3));
  for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0", "cuda:1000"}) {
    INFO(name);
    CHECK_THROWS_AS(device_of(name), Error);
  }
}

TEST_CASE("each rank of a machine uses its own or the assigned GPU", "[device][ranks]") {
  for (const std::int64_t rank : {0, 1, 7}) {
    CHECK(device_of_rank("cuda", rank, 8) == c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(rank)));
    CHECK(device_of_rank("cuda", rank, 1) == c10::Device(c10::kCUDA, 0));  // Slurm shows each task only its own
    CHECK(device_of_rank("cuda:2", rank, 8) == c10::Device(c10::kCUDA, 2));
    CHECK(device_of_rank("cpu", rank, 0) == c10::Device(c10::kCPU));
  }
}

}  // namespace yatlab
