#include "core/base/failure.h"

#include <cerrno>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "catch.h"

namespace yatlab {
namespace {

/// How an exception is reported.
template <class Thrown>
Error error_after(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return current_error();
  }
}

template <class Thrown>
Error error_in_component(const Thrown& thrown) {
  try {
    in_component("operator", "mine", [&]() -> int { throw thrown; });
  } catch (const Error& e) {
    return e;
  }
  return Error(ErrorKind::kInternal, "no error");
}

const std::string kFrames =
    "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1\n"
    "Exception raised from infer_size_impl at ../aten/src/ATen/ExpandUtils.cpp:35 (most recent call first):\n"
    "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 (0x7f0 in /usr/lib/libc10.so)\n"
    "frame #1: <unknown function> + 0x1 (0x7f1 in /usr/lib/libtorch_cpu.so)\n";

}  // namespace

TEST_CASE("an Error keeps its text and kind when it is wrapped", "[failure]") {
  const auto error = error_after(config_error("what", "where", "why", "hint").with_details("more"));
  CHECK(std::string(error.what()) == "what\n  at: where\n  why: why\n  try: hint");
  CHECK(error.kind() == ErrorKind::kConfig);
  CHECK(error.details() == "more");
  CHECK(error.within("further").details() == "more");
}

TEST_CASE("stack frames are removed from the message and kept in the details", "[failure]") {
  const auto error = error_after(std::runtime_error(kFrames));
  CHECK(error.message() == "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
  CHECK(error.details() == kFrames);
  const auto named = error_in_component(std::runtime_error(kFrames));
  CHECK(std::string(named.what()) == error.message() + "\n  at: operator 'mine'");  // not reported as a bug in Yatlab
  CHECK(named.kind() == ErrorKind::kJob);
  CHECK(named.details() == kFrames);
}

TEST_CASE("a message is one paragraph of a readable length", "[failure]") {
  const auto message = [](const std::string& said) { return error_after(std::runtime_error(said)).message(); };
  CHECK(message("no convergence") == "no convergence");
  CHECK(message("CUDA error: out of order\n\tread the manual\n\n") == "CUDA error: out of order read the manual");
  CHECK(message("") == "an error without a message");
  CHECK(message("\nException raised from nowhere") == "an error without a message");
  CHECK(message("broken\nframe #0: main") == "broken");
  CHECK(message("Could not run 'aten::empty' with arguments from the 'CUDA' backend. This could be because the operator "
                "doesn't exist.\n\nCPU: registered at build.cpp:1\nException raised from x") ==
        "Could not run 'aten::empty' with arguments from the 'CUDA' backend.");
  const std::string sentence(200, 'a'), rest(200, 'b');
  CHECK(message(sentence + ". " + rest) == sentence + ".");
  CHECK(message(sentence + rest) == sentence + rest.substr(0, 100) + "...");
  std::string letters;  // two bytes each, at odd offsets: none may be cut in half
  for (int i = 0; i < 200; ++i) letters += "é";
  CHECK(message("x" + letters) == "x" + letters.substr(0, 298) + "...");
}

TEST_CASE("missing files and exhausted memory are not reported as bugs", "[failure]") {
  const std::filesystem::filesystem_error full("cannot copy", "a", "b", std::make_error_code(std::errc::no_space_on_device));
  auto error = error_after(full);
  CHECK(std::string(error.what()) ==
        "cannot use 'a' or 'b'\n  why: No space left on device\n  try: free some disk space and run the same command again");
  CHECK(error.kind() == ErrorKind::kFile);
  error = error_after(std::system_error(ENOSPC, std::generic_category(), "cannot write to file"));
  CHECK(std::string(error.what()) == "cannot write to file: No space left on device");
  CHECK(error.kind() == ErrorKind::kJob);
  error = error_after(std::system_error(EAGAIN, std::generic_category()));  // std::thread throws this
  CHECK(error.message() == "cannot start a thread");
  CHECK(error.hint().find("fewer launcher.workers") != std::string::npos);
  CHECK(error.kind() == ErrorKind::kFile);  // the job is interrupted
  error = error_after(std::bad_alloc());
  CHECK(error.message() == "out of memory");
  CHECK(error.kind() == ErrorKind::kJob);
  CHECK(error.hint().find("trainer.batch_size") != std::string::npos);
  error =
      error_in_component(std::runtime_error("[enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: "
                                            "you tried to allocate 40 bytes. Error code 12 (Cannot allocate memory)\nframe #0: x"));
  CHECK(error.message() == "out of memory");
  CHECK(error.where() == "operator 'mine'");
  CHECK(error.why() ==
        "DefaultCPUAllocator: can't allocate memory: you tried to allocate 40 bytes. Error code 12 (Cannot allocate memory)");
}

TEST_CASE("an unexpected exception is reported as a bug unless a component threw it", "[failure]") {
  const auto error = error_after(std::out_of_range("vector::_M_range_check"));
  CHECK(error.kind() == ErrorKind::kInternal);
  CHECK(error.message() == "vector::_M_range_check");
  CHECK(error.details().empty());
  CHECK(error_after(std::runtime_error("of\n two lines")).details().empty());  // nothing was cut off
  CHECK(error.hint().find("a bug in Yatlab") != std::string::npos);
  CHECK(error_after(7).message() == "an exception was thrown that is not a std::exception");
  CHECK(error_in_component(std::out_of_range("x")).hint().empty());
}

TEST_CASE("a component adds its name to an error once and passes return values through", "[failure]") {
  CHECK(in_component("task", "t", [] { return 3; }) == 3);
  CHECK(error_in_component(config_error("no")).where() == "operator 'mine'");
  CHECK(error_in_component(config_error("operator 'mine' takes no bias")).where().empty());
  CHECK(error_in_component(config_error("no")).kind() == ErrorKind::kConfig);
  CHECK(error_in_component(data_error("'file' is gone")).where().empty());
  CHECK(error_in_component(Error(ErrorKind::kJob, "cannot write 'file'")).where().empty());
  CHECK(error_in_component(config_error("bad", "x.yaml:1:2")).where() == "x.yaml:1:2");
  try {
    in_component("analysis", "outer", [] { in_component("operator", "inner", [] { throw std::runtime_error("no"); }); });
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.where() == "operator 'inner'");
  }
  struct Stop {};
  CHECK_THROWS_AS(in_component("operator", "mine", [] { throw Stop{}; }), Stop);
}

}  // namespace yatlab
