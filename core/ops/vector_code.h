#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

/// How numeric loops are vectorised, everywhere in Yatlab. A loop is written once, as an always inlined function. It is either plain C++ that the
/// compiler vectorises (sums with several accumulators, no branches), or uses the compiler's vector extension. `vector_code` compiles that function
/// for AVX-512, for AVX2 and for any CPU, and runs the best version for this CPU:
///
///     void add(const float* x, std::int64_t n, float* y) {
///       vector_code([&]() YATLAB_VECTORS { add_body(x, n, y); });
///     }
///
/// A body with a parameter is given the length of a vector, std::integral_constant<std::size_t, 64>, 32 or 16 (bytes): the compiler splits longer
/// vectors, but compares and converts them number by number.
///
/// The version is chosen at run time, not by the loader (GNU ifuncs): this works under sanitizers, and tests can try every set in one process.
#define YATLAB_INLINE inline __attribute__((always_inline))
#define YATLAB_VECTORS __attribute__((always_inline))

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // no vector crosses a function boundary: all are inlined
#endif

namespace yatlab::kernel {

enum class InstructionSet { kGeneric, kAvx2, kAvx512 };

/// The instruction set that vector code uses.
InstructionSet instruction_set();
/// Its name: "avx512", "avx2" or "generic".
const char* instruction_set_name();
/// Makes vector code use another one; false when this machine does not have it. For tests and benchmarks.
bool use_instruction_set(const std::string& name);

template <std::size_t kBytes, class Body>
YATLAB_INLINE auto with_vectors(const Body& body) {
  using Bytes = std::integral_constant<std::size_t, kBytes>;
  if constexpr (std::is_invocable_v<const Body&, Bytes>)
    return body(Bytes());
  else
    return body();
}

#if defined(__x86_64__)
template <class Body>
__attribute__((target("avx2,fma,avx512f,avx512bw,avx512vl,avx512dq"))) auto on_avx512(const Body& body) {
  return with_vectors<64>(body);
}
template <class Body>
__attribute__((target("avx2,fma"))) auto on_avx2(const Body& body) {
  return with_vectors<32>(body);
}
#endif
template <class Body>
auto on_any(const Body& body) {
  return with_vectors<16>(body);
}

/// Runs `body`, a lambda marked YATLAB_VECTORS; see above.
template <class Body>
YATLAB_INLINE auto vector_code(const Body& body) {
#if defined(__x86_64__)
  switch (instruction_set()) {
    case InstructionSet::kAvx512:
      return on_avx512(body);
    case InstructionSet::kAvx2:
      return on_avx2(body);
    case InstructionSet::kGeneric:
      break;
  }
#endif
  return on_any(body);
}

}  // namespace yatlab::kernel
