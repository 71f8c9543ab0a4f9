#include "core/system/cpu.h"

#include "catch.h"

using namespace yatlab;

TEST_CASE("CPU flags are whole words of the flags line in /proc/cpuinfo", "[cpu]") {
  const CpuFlags cpu(
      "processor\t: 0\nmodel name\t: avx512f by name only\nflags\t\t: fpu sse avx2 avx512f avx512_bf16\nbugs\t\t: spectre_v2\n");
  CHECK(cpu.has("fpu"));
  CHECK(cpu.has("avx2"));
  CHECK(cpu.has("avx512_bf16"));  // the last of its line
  CHECK_FALSE(cpu.has("avx"));
  CHECK_FALSE(cpu.has("avx512"));
  CHECK_FALSE(cpu.has("spectre_v2"));
  CHECK_FALSE(cpu.has("amx_bf16"));
}

TEST_CASE("bfloat16 products are faster with AMX, and with AVX512-BF16 on other CPUs than Intel's", "[cpu]") {
  CHECK(CpuFlags("flags : avx2 avx512_bf16\n").fast_bfloat16());
  CHECK(CpuFlags("flags : avx2 amx_bf16 amx_tile\n").fast_bfloat16());
  CHECK(CpuFlags("vendor_id : AuthenticAMD\nflags : avx2 avx512_bf16\n").fast_bfloat16());
  CHECK(CpuFlags("vendor_id : GenuineIntel\nflags : avx2 avx512_bf16 amx_bf16\n").fast_bfloat16());
  CHECK_FALSE(CpuFlags("vendor_id : GenuineIntel\nflags : avx2 avx512_bf16\n").fast_bfloat16());
  CHECK_FALSE(CpuFlags("flags : avx2 avx512f avx512bw\n").fast_bfloat16());
  CHECK_FALSE(CpuFlags("").fast_bfloat16());  // not Linux on x86
}
