#include "core/plan/slow_precision.h"

#include "catch.h"

#include "core/config/yaml.h"

using namespace yatlab;

namespace {

const CpuFlags kWithout("flags : avx2 avx512f\n"), kWith("flags : avx2 avx512_bf16\n");

std::string note(const std::string& yaml, const CpuFlags& cpu = kWithout) { return slow_precision(parse_yaml(yaml, "job"), cpu); }

}  // namespace

TEST_CASE("bfloat16 without CPU support causes a notice with a fix", "[plan]") {
  const std::string job = "{trainer: {device: cpu}, architecture: {name: transformer, precision: bfloat16}}";
  CHECK(note(job).find("architecture.precision=float32") != std::string::npos);
  CHECK(note(job, kWith).empty());
  CHECK(note("{trainer: {device: cpu}, architecture: {name: transformer, precision: float32}}").empty());
  CHECK(note("{trainer: {device: cuda}, architecture: {name: transformer, precision: bfloat16}}").empty());
  CHECK(note("{trainer: {device: cpu}, architecture: {name: prototype}}").empty());
  CHECK(note("{study: squashing}").empty());
}
