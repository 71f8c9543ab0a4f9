#include "guarded_device/guarded_device.h"

#include <ATen/ATen.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "catch.h"
#include "core/train/device.h"
#include "guarded_device/tested_devices.h"
#include "helpers.h"
#include "holds.h"

namespace yatlab::testing {

TEST_CASE("guarded device memory supports computing but not reading", "[guarded]") {
  if (!guarded_device_works()) return;
  add_guarded_device();
  CHECK(device_of("guarded").type() == kGuarded.type());
  CHECK(device_of("guarded:0") == kGuarded);
  CHECK(why_absent(device_of("guarded")).empty());
  for (const char* taken : {"guarded", "cpu", "cuda"}) {
    INFO(taken);
    CHECK(holds(error_of([&] { add_device_kind({taken, kGuarded.type()}); }), "already"));
  }

  const at::Tensor x = at::arange(20, at::kFloat).sin().view({4, 5}), w = at::arange(15, at::kFloat).cos().view({3, 5});
  const at::Tensor there = x.to(kGuarded);
  CHECK(there.device() == kGuarded);
  CHECK(at::equal(there.cpu(), x));
  CHECK(at::allclose(at::matmul(there, w.to(kGuarded).t()).cpu(), at::matmul(x, w.t())));
  CHECK(std::isnan(at::empty({1}, there.options()).cpu().item<float>()));

  SECTION("gradients work also for in-place operations and views") {
    const auto loss = [](const at::Tensor& a, const at::Tensor& b) {
      const at::Tensor s = at::matmul(a, b.t());
      return (s.narrow(1, 0, 2).square().add_(0.5).log() * s.select(1, 2).unsqueeze(1)).sum();
    };
    const at::Tensor here = w.clone().requires_grad_(true), over_there = w.to(kGuarded).requires_grad_(true);
    loss(x, here).backward();
    loss(there, over_there).backward();
    CHECK(over_there.grad().device() == kGuarded);
    CHECK(at::allclose(over_there.grad().cpu(), here.grad()));
  }
  SECTION("host reads and operations are counted") {
    const GuardedTraffic traffic;
    at::Tensor y = there * 2;
    CHECK(traffic.counts().host_reads == 0);
    CHECK(traffic.counts().operations == 1);
    CHECK(y.sum().item<float>() == Approx((x * 2).sum().item<float>()));
    CHECK(traffic.counts().host_reads == 1);
    CHECK(y.gt(0).nonzero().size(1) == 2);
    CHECK(traffic.counts().host_reads == 2);
    y = y.masked_select(y.gt(0));
    CHECK(traffic.counts().host_reads == 3);
    y = y.index({y.gt(1)});  // reads the mask, then the number of elements
    CHECK(traffic.counts().host_reads > 3);
    CHECK(traffic.counts().sent == 0);
    y = x.to(kGuarded);
    CHECK(traffic.counts().bytes_sent == 80);
  }
  SECTION("reading or writing its memory directly ends the process") {
    for (const bool write : {false, true}) {
      const pid_t child = ::fork();
      if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL);
        volatile float* const first = there.data_ptr<float>();
        if (write) *first = 1;
        ::_exit(*first == 0 ? 0 : 1);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      CHECK(WIFSIGNALED(status));
      CHECK(WTERMSIG(status) == SIGSEGV);
    }
  }
}

}  // namespace yatlab::testing
