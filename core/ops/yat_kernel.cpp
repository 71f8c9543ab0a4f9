#include "core/ops/yat_kernel.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/ops/vector_code.h"

namespace yatlab::kernel {
namespace {

/// A vector of kBytes bytes.
template <class T, std::size_t kBytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes)));
};

/// How the storage type T is loaded into vectors of its accumulator type, kBytes long.
template <class Stored, std::size_t kBytes>
struct Lanes {
  using T = Stored;
  using A = Acc<T>;
  using Sums = Lanes<A, kBytes>;
  using V = typename VectorOf<A, kBytes>::type;
  static constexpr int kWidth = kBytes / sizeof(A);
  /// The value of close_share in core/ops/pairwise.h. A dot product in bf16 is itself rounded to 8 bits.
  static constexpr A kClose = std::is_same_v<T, double> ? A(1e-4) : std::is_same_v<T, float> ? A(0.25) : A(0.5);

  static YATLAB_INLINE V numbers() {
    static constexpr A counted[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    V v;
    std::memcpy(&v, counted, sizeof v);
    return v;
  }
  static YATLAB_INLINE void load(const T* p, V& v) {
    if constexpr (std::is_same_v<T, Bf16>) {
      typename VectorOf<std::uint16_t, kBytes / 2>::type h;
      std::memcpy(&h, p, sizeof h);
      const auto w = __builtin_convertvector(h, typename VectorOf<std::uint32_t, kBytes>::type) << 16;
      std::memcpy(&v, &w, sizeof v);
    } else {
      std::memcpy(&v, p, sizeof v);
    }
  }
  static YATLAB_INLINE void store(T* p, const V& v) {
    if constexpr (std::is_same_v<T, Bf16>) {  // to nearest, ties to even
      typename VectorOf<std::uint32_t, kBytes>::type w;
      std::memcpy(&w, &v, sizeof w);
      auto r = (w + 0x7fffU + ((w >> 16) & 1U)) >> 16;
      const auto nan = r * 0U + 0x7fc0U;
      r = (v == v) ? r : nan;
      const auto h = __builtin_convertvector(r, typename VectorOf<std::uint16_t, kBytes / 2>::type);
      std::memcpy(p, &h, sizeof h);
    } else {
      std::memcpy(p, &v, sizeof v);
    }
  }
};

/// Copies less than a vector in pieces of constant size: no call of memcpy.
YATLAB_INLINE void copy_piece(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  const auto piece = [&](auto size) {
    if ((bytes & size()) == 0) return;
    std::memcpy(out, in, size());
    out += size();
    in += size();
  };
  piece(std::integral_constant<std::size_t, 32>());
  piece(std::integral_constant<std::size_t, 16>());
  piece(std::integral_constant<std::size_t, 8>());
  piece(std::integral_constant<std::size_t, 4>());
  piece(std::integral_constant<std::size_t, 2>());
}

/// Loads the first `count` lanes, fewer than all; the others are 0.
template <class L>
YATLAB_INLINE void load_part(const typename L::T* p, std::int64_t count, typename L::V& v) {
  typename L::T padded[L::kWidth] = {};
  copy_piece(padded, p, static_cast<std::size_t>(count) * sizeof(padded[0]));
  L::load(padded, v);
}
template <class L>
YATLAB_INLINE void load_any(const typename L::T* p, std::int64_t count, typename L::V& v) {
  if (count == L::kWidth)
    L::load(p, v);
  else
    load_part<L>(p, count, v);
}
template <class L>
YATLAB_INLINE void store_any(typename L::T* p, std::int64_t count, const typename L::V& v) {
  if (count == L::kWidth) {
    L::store(p, v);
  } else {
    typename L::T padded[L::kWidth];
    L::store(padded, v);
    copy_piece(p, padded, static_cast<std::size_t>(count) * sizeof(padded[0]));
  }
}
/// The same for a matrix that ends at `end`: reads a whole vector where that stays inside the matrix, which is faster than pieces.
template <class L>
YATLAB_INLINE void load_within(const typename L::T* p, std::int64_t count, const typename L::T* end, typename L::V& v) {
  if (count == L::kWidth) {
    L::load(p, v);
  } else if (end - p < L::kWidth) {
    load_part<L>(p, count, v);
  } else {
    const typename L::V zero = {};
    L::load(p, v);
    v = (L::numbers() < zero + static_cast<typename L::A>(count)) ? v : zero;
  }
}
/// Loads one number per unit; nullptr gives zeros.
template <class L>
YATLAB_INLINE void load_if(const typename L::T* p, std::int64_t first, std::int64_t count, typename L::V& v) {
  if (p)
    load_any<L>(p + first, count, v);
  else
    v = typename L::V{};
}

/// Adds upper and lower half until two numbers are left.
template <class A, std::size_t kBytes>
YATLAB_INLINE A sum_of_bytes(const char* lanes) {
  if constexpr (kBytes == sizeof(A)) {
    A out;
    std::memcpy(&out, lanes, sizeof out);
    return out;
  } else {
    typedef A Half __attribute__((vector_size(kBytes / 2)));
    Half low, high;
    std::memcpy(&low, lanes, sizeof low);
    std::memcpy(&high, lanes + sizeof low, sizeof high);
    low += high;
    char sums[sizeof low];
    std::memcpy(sums, &low, sizeof low);
    return sum_of_bytes<A, kBytes / 2>(sums);
  }
}
template <class A, class V>
YATLAB_INLINE A sum_of(const V& v) {
  char lanes[sizeof v];
  std::memcpy(lanes, &v, sizeof v);
  return sum_of_bytes<A, sizeof v>(lanes);
}

/// Whether any lane is below 0; NaN is not.
template <class V>
YATLAB_INLINE bool any_negative(const V& v) {
  const auto lanes = v < V{};
  std::uint64_t words[sizeof v / 8], any = 0;
  std::memcpy(words, &lanes, sizeof v);
  for (const auto w : words) any |= w;
  return any != 0;
}

template <class L>
YATLAB_INLINE typename L::A squared_norm(const typename L::T* row, std::int64_t dim) {
  typename L::V a, b, c, d;
  typename L::V s0 = {}, s1 = {}, s2 = {}, s3 = {};
  std::int64_t k = 0;
  for (; k + 4 * L::kWidth <= dim; k += 4 * L::kWidth) {
    L::load(row + k, a);
    L::load(row + k + L::kWidth, b);
    L::load(row + k + 2 * L::kWidth, c);
    L::load(row + k + 3 * L::kWidth, d);
    s0 += a * a;
    s1 += b * b;
    s2 += c * c;
    s3 += d * d;
  }
  for (; k < dim; k += L::kWidth) {
    load_any<L>(row + k, std::min<std::int64_t>(L::kWidth, dim - k), a);
    s0 += a * a;
  }
  return sum_of<typename L::A>((s0 + s1) + (s2 + s3));
}

template <class L>
YATLAB_INLINE typename L::A squared_distance(const typename L::T* x, const typename L::T* w, std::int64_t dim) {
  typename L::V a, b, sum = {};
  for (std::int64_t k = 0; k < dim; k += L::kWidth) {
    const auto count = std::min<std::int64_t>(L::kWidth, dim - k);
    load_any<L>(x + k, count, a);
    load_any<L>(w + k, count, b);
    sum += (a - b) * (a - b);
  }
  return sum_of<typename L::A>(sum);
}

constexpr std::int64_t kTile = 512;  // units per tile, so that distances stay in the L1 cache

/// distance[0..count) = max(|x|^2 + |w|^2 - 2 x.w, 0) for one row and units [first, first + count).
/// Where that identity cancels, the distance is recomputed exactly: x = w gives 0. Returns true when there was such a pair; then apart[j] is 0 for
/// these and 1 for the others (unless apart is nullptr). kOwn: each unit has its own epsilon.
template <bool kOwn, class L, class T = typename L::T>
YATLAB_INLINE bool distances(const YatRows<T>& in, std::int64_t row, std::int64_t first, std::int64_t count, Acc<T>* distance,
                             Acc<T>* apart) {
  using S = typename L::Sums;
  using V = typename L::V;
  using A = typename L::A;
  const T *dot = in.dot + row * in.units + first, *end = in.dot + in.rows * in.units;
  const A* w_norm = in.w_norm + first;
  const A x_norm = in.x_norm[row];
  V s, norms, epsilon = V{} + in.epsilon, margin = V{} + A(1);
  const V zero = {};
  for (std::int64_t j = 0; j < count; j += L::kWidth) {
    const auto lanes = std::min<std::int64_t>(L::kWidth, count - j);
    load_within<L>(dot + j, lanes, end, s);
    load_any<S>(w_norm + j, lanes, norms);
    norms += x_norm;
    V d = norms - (s + s);
    d = (d > zero) ? d : zero;
    if constexpr (kOwn) load_any<S>(in.epsilons + first + j, lanes, epsilon);
    const V slack = d + epsilon - norms * L::kClose;
    margin = (slack < margin) ? slack : margin;
    S::store(distance + j, d);
  }
  if (!any_negative(margin)) return false;
  const T* x = in.x + row * in.dim;
  for (std::int64_t j = 0; j < count; ++j) {
    const A own = kOwn ? in.epsilons[first + j] : in.epsilon;
    const bool close = distance[j] + own < (x_norm + w_norm[j]) * L::kClose;
    if (close) distance[j] = squared_distance<L>(x, in.w + (first + j) * in.dim, in.dim);
    if (apart) apart[j] = close ? A(0) : A(1);
  }
  return true;
}

template <bool kOwn, class L, class T = typename L::T>
YATLAB_INLINE void forward_body(const YatRows<T>& in, T* y) {
  using S = typename L::Sums;
  using V = typename L::V;
  using A = typename L::A;
  A distance[kTile];
  V epsilon = V{} + in.epsilon, scale = V{} + in.scale;
  const T* const end = in.dot + in.rows * in.units;
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const T* dots = in.dot + row * in.units;
    T* out = y + row * in.units;
    for (std::int64_t first = 0; first < in.units; first += kTile) {
      const auto count = std::min(kTile, in.units - first);
      distances<kOwn, L>(in, row, first, count, distance, static_cast<A*>(nullptr));
      for (std::int64_t j = 0; j < count; j += L::kWidth) {
        const auto lanes = std::min<std::int64_t>(L::kWidth, count - j);
        V n, d, inner, outer;
        load_within<L>(dots + first + j, lanes, end, n);
        S::load(distance + j, d);
        load_if<S>(in.inner, first + j, lanes, inner);
        load_if<S>(in.outer, first + j, lanes, outer);
        if constexpr (kOwn) {
          load_any<S>(in.epsilons + first + j, lanes, epsilon);
          load_any<S>(in.scales + first + j, lanes, scale);
        }
        n += inner;
        // n * (n / D), not (n * n) / D: the square would overflow long before the score does.
        const V r = (n * (n / (d + epsilon)) + outer) * scale;
        store_any<L>(out + first + j, lanes, r);
      }
    }
  }
}

template <bool kOwn, class L, class T = typename L::T>
YATLAB_INLINE void backward_body(const YatRows<T>& in, const T* grad, bool bias_after, YatGradients<T>& out) {
  using S = typename L::Sums;
  using V = typename L::V;
  using A = typename L::A;
  A distance[kTile], apart[kTile], slope[kTile];
  const V keep_inner = V{} + (bias_after ? A(0) : A(1));
  const V keep_outer = V{} + (bias_after ? A(1) : A(0));
  V epsilon = V{} + in.epsilon, scale = V{} + in.scale;
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const std::int64_t start = row * in.units;
    V row_sum = {}, epsilon_sum = {}, scale_sum = {};
    for (std::int64_t first = 0; first < in.units; first += kTile) {
      const auto count = std::min(kTile, in.units - first);
      const bool some_close = distances<kOwn, L>(in, row, first, count, distance, apart);
      for (std::int64_t j = 0; j < count; j += L::kWidth) {
        const auto lanes = std::min<std::int64_t>(L::kWidth, count - j);
        const std::int64_t unit = first + j;
        V g, n, d, inner, outer, column, bias;
        load_within<L>(grad + start + unit, lanes, grad + in.rows * in.units, g);
        load_within<L>(in.dot + start + unit, lanes, in.dot + in.rows * in.units, n);
        S::load(distance + j, d);
        load_if<S>(in.inner, unit, lanes, inner);
        load_if<S>(in.outer, unit, lanes, outer);
        load_any<S>(out.w_distance + unit, lanes, column);
        load_any<S>(out.bias + unit, lanes, bias);
        if constexpr (kOwn) {
          load_any<S>(in.epsilons + unit, lanes, epsilon);
          load_any<S>(in.scales + unit, lanes, scale);
        }
        n += inner;
        const V q = n / (d + epsilon);
        const V scaled = g * scale;
        const V gq = scaled * q;
        const V g_numerator = gq + gq;  // of x.w + b
        const V g_epsilon = -(gq * q);  // of the denominator
        V g_distance = g_epsilon;
        if (some_close) {
          V part;
          load_any<S>(apart + j, lanes, part);
          S::store(slope + j, g_epsilon);
          g_distance *= part;
        }
        store_any<L>(out.dot + start + unit, lanes, g_numerator - (g_distance + g_distance));
        store_any<S>(out.w_distance + unit, lanes, column + g_distance);
        store_any<S>(out.bias + unit, lanes, bias + g_numerator * keep_inner + scaled * keep_outer);
        row_sum += g_distance;
        if constexpr (kOwn) {
          V sum;
          load_any<S>(out.epsilons + unit, lanes, sum);
          store_any<S>(out.epsilons + unit, lanes, sum + g_epsilon);
          load_any<S>(out.scales + unit, lanes, sum);
          store_any<S>(out.scales + unit, lanes, sum + g * (n * q + outer));
        } else {
          scale_sum += g * (n * q + outer);
          // The lanes beyond the last unit have g = 0 and so add nothing.
          epsilon_sum += g_epsilon;
        }
      }
      if (!some_close) continue;
      for (std::int64_t j = 0; j < count; ++j) {
        if (apart[j] == 0 && distance[j] > 0) out.close->push_back({row, first + j, slope[j]});  // x = w adds nothing
      }
    }
    out.x_distance[row] = sum_of<A>(row_sum);
    out.epsilon += static_cast<double>(sum_of<A>(epsilon_sum));
    out.scale += static_cast<double>(sum_of<A>(scale_sum));
  }
}

template <class L, class T = typename L::T>
YATLAB_INLINE void norms_body(const T* rows, std::int64_t count, std::int64_t dim, Acc<T>* out) {
  for (std::int64_t r = 0; r < count; ++r) out[r] = squared_norm<L>(rows + r * dim, dim);
}

template <class L, class T = typename L::T>
YATLAB_INLINE void scale_body(const T* rows, const Acc<T>* factor, std::int64_t count, std::int64_t dim, T* out) {
  for (std::int64_t r = 0; r < count; ++r) {
    const T* from = rows + r * dim;
    T* to = out + r * dim;
    for (std::int64_t k = 0; k < dim; k += L::kWidth) {
      const auto lanes = std::min<std::int64_t>(L::kWidth, dim - k);
      typename L::V v;
      load_any<L>(from + k, lanes, v);
      v *= factor[r] + factor[r];
      store_any<L>(to + k, lanes, v);
    }
  }
}

template <class L, class T = typename L::T>
YATLAB_INLINE void differences_body(const T* own, const T* const* other, const Acc<T>* factor, std::int64_t count, std::int64_t dim,
                                    T* out) {
  typename L::V a, b, sum;
  for (std::int64_t k = 0; k < dim; k += L::kWidth) {
    const auto lanes = std::min<std::int64_t>(L::kWidth, dim - k);
    load_any<L>(own + k, lanes, a);
    load_any<L>(out + k, lanes, sum);
    for (std::int64_t i = 0; i < count; ++i) {
      load_any<L>(other[i] + k, lanes, b);
      sum += (a - b) * (factor[i] + factor[i]);
    }
    store_any<L>(out + k, lanes, sum);
  }
}

}  // namespace

template <class T>
void squared_norms(const T* rows, std::int64_t count, std::int64_t dim, Acc<T>* out) {
  vector_code([&](auto bytes) YATLAB_VECTORS { norms_body<Lanes<T, bytes()>>(rows, count, dim, out); });
}

template <class T>
void scale_rows(const T* rows, const Acc<T>* factor, std::int64_t count, std::int64_t dim, T* out) {
  vector_code([&](auto bytes) YATLAB_VECTORS { scale_body<Lanes<T, bytes()>>(rows, factor, count, dim, out); });
}

template <class T>
void yat_forward(const YatRows<T>& in, T* y) {
  if (in.epsilons) {
    vector_code([&](auto bytes) YATLAB_VECTORS { forward_body<true, Lanes<T, bytes()>>(in, y); });
  } else {
    vector_code([&](auto bytes) YATLAB_VECTORS { forward_body<false, Lanes<T, bytes()>>(in, y); });
  }
}

template <class T>
void yat_backward(const YatRows<T>& in, const T* grad, bool bias_after, YatGradients<T>& out) {
  if (in.epsilons) {
    vector_code([&](auto bytes) YATLAB_VECTORS { backward_body<true, Lanes<T, bytes()>>(in, grad, bias_after, out); });
  } else {
    vector_code([&](auto bytes) YATLAB_VECTORS { backward_body<false, Lanes<T, bytes()>>(in, grad, bias_after, out); });
  }
}

template <class T>
void add_differences(const T* own, const T* const* other, const Acc<T>* factor, std::int64_t count, std::int64_t dim, T* out) {
  vector_code([&](auto bytes) YATLAB_VECTORS { differences_body<Lanes<T, bytes()>>(own, other, factor, count, dim, out); });
}

#define YATLAB_INSTANTIATE(T)                                                           \
  template void squared_norms<T>(const T*, std::int64_t, std::int64_t, Acc<T>*);        \
  template void scale_rows<T>(const T*, const Acc<T>*, std::int64_t, std::int64_t, T*); \
  template void yat_forward<T>(const YatRows<T>&, T*);                                  \
  template void yat_backward<T>(const YatRows<T>&, const T*, bool, YatGradients<T>&);   \
  template void add_differences<T>(const T*, const T* const*, const Acc<T>*, std::int64_t, std::int64_t, T*);
YATLAB_INSTANTIATE(float)
YATLAB_INSTANTIATE(double)
YATLAB_INSTANTIATE(Bf16)

}  // namespace yatlab::kernel
