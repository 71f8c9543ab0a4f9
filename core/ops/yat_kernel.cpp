#include "core/ops/yat_kernel.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/ops/vector_code.h"

namespace yatlab::kernel {
namespace {

typedef float Floats __attribute__((vector_size(64)));
typedef double Doubles __attribute__((vector_size(64)));
typedef std::uint32_t Words __attribute__((vector_size(64)));
typedef std::uint16_t Halves __attribute__((vector_size(32)));

/// How the storage type T is loaded into vectors of its accumulator type.
template <class T>
struct Lanes;

template <>
struct Lanes<float> {
  using V = Floats;
  static constexpr int kWidth = 16;
  /// The value of close_share in core/ops/pairwise.h.
  static constexpr float kClose = 0.25F;
  static YATLAB_INLINE V numbers() { return V{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
  static YATLAB_INLINE void load(const float* p, V& v) { std::memcpy(&v, p, sizeof v); }
  static YATLAB_INLINE void store(float* p, const V& v) { std::memcpy(p, &v, sizeof v); }
};

template <>
struct Lanes<double> {
  using V = Doubles;
  static constexpr int kWidth = 8;
  static constexpr double kClose = 1e-4;
  static YATLAB_INLINE V numbers() { return V{0, 1, 2, 3, 4, 5, 6, 7}; }
  static YATLAB_INLINE void load(const double* p, V& v) { std::memcpy(&v, p, sizeof v); }
  static YATLAB_INLINE void store(double* p, const V& v) { std::memcpy(p, &v, sizeof v); }
};

template <>
struct Lanes<Bf16> {
  using V = Floats;
  static constexpr int kWidth = 16;
  static constexpr float kClose = 0.5F;  // the dot product itself is rounded to 8 bits
  static YATLAB_INLINE V numbers() { return Lanes<float>::numbers(); }
  static YATLAB_INLINE void load(const Bf16* p, V& v) {
    Halves h;
    std::memcpy(&h, p, sizeof h);
    const Words w = __builtin_convertvector(h, Words) << 16;
    std::memcpy(&v, &w, sizeof v);
  }
  static YATLAB_INLINE void store(Bf16* p, const V& v) {  // to nearest, ties to even
    Words w;
    std::memcpy(&w, &v, sizeof w);
    Words r = (w + 0x7fffU + ((w >> 16) & 1U)) >> 16;
    const Words nan = r * 0U + 0x7fc0U;
    r = (v == v) ? r : nan;
    const Halves h = __builtin_convertvector(r, Halves);
    std::memcpy(p, &h, sizeof h);
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
template <class T>
YATLAB_INLINE void load_part(const T* p, std::int64_t count, typename Lanes<T>::V& v) {
  T padded[Lanes<T>::kWidth] = {};
  copy_piece(padded, p, static_cast<std::size_t>(count) * sizeof(T));
  Lanes<T>::load(padded, v);
}
template <class T>
YATLAB_INLINE void store_part(T* p, std::int64_t count, const typename Lanes<T>::V& v) {
  T padded[Lanes<T>::kWidth];
  Lanes<T>::store(padded, v);
  copy_piece(p, padded, static_cast<std::size_t>(count) * sizeof(T));
}
template <class T>
YATLAB_INLINE void load_any(const T* p, std::int64_t count, typename Lanes<T>::V& v) {
  if (count == Lanes<T>::kWidth)
    Lanes<T>::load(p, v);
  else
    load_part(p, count, v);
}
template <class T>
YATLAB_INLINE void store_any(T* p, std::int64_t count, const typename Lanes<T>::V& v) {
  if (count == Lanes<T>::kWidth)
    Lanes<T>::store(p, v);
  else
    store_part(p, count, v);
}
/// The same for a matrix that ends at `end`: reads a whole vector where that stays inside the matrix, which is faster than pieces.
template <class T>
YATLAB_INLINE void load_within(const T* p, std::int64_t count, const T* end, typename Lanes<T>::V& v) {
  using V = typename Lanes<T>::V;
  if (count == Lanes<T>::kWidth) {
    Lanes<T>::load(p, v);
  } else if (end - p < Lanes<T>::kWidth) {
    load_part(p, count, v);
  } else {
    const V zero = {};
    Lanes<T>::load(p, v);
    v = (Lanes<T>::numbers() < zero + static_cast<Acc<T>>(count)) ? v : zero;
  }
}
/// Loads one number per unit; nullptr gives zeros.
template <class A>
YATLAB_INLINE void load_if(const A* p, std::int64_t first, std::int64_t count, typename Lanes<A>::V& v) {
  if (p)
    load_any(p + first, count, v);
  else
    v = typename Lanes<A>::V{};
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

template <class T>
YATLAB_INLINE Acc<T> squared_norm(const T* row, std::int64_t dim) {
  using L = Lanes<T>;
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
    load_any(row + k, std::min<std::int64_t>(L::kWidth, dim - k), a);
    s0 += a * a;
  }
  return sum_of<Acc<T>>((s0 + s1) + (s2 + s3));
}

template <class T>
YATLAB_INLINE Acc<T> squared_distance(const T* x, const T* w, std::int64_t dim) {
  using L = Lanes<T>;
  typename L::V a, b, sum = {};
  for (std::int64_t k = 0; k < dim; k += L::kWidth) {
    const auto count = std::min<std::int64_t>(L::kWidth, dim - k);
    load_any(x + k, count, a);
    load_any(w + k, count, b);
    sum += (a - b) * (a - b);
  }
  return sum_of<Acc<T>>(sum);
}

constexpr std::int64_t kTile = 512;  // units per tile, so that distances stay in the L1 cache

/// distance[0..count) = max(|x|^2 + |w|^2 - 2 x.w, 0) for one row and units [first, first + count).
/// Where that identity cancels, the distance is recomputed exactly: x = w gives 0. Returns true when there was such a pair; then apart[j] is 0 for
/// these and 1 for the others (unless apart is nullptr). kOwn: each unit has its own epsilon.
template <bool kOwn, class T>
YATLAB_INLINE bool distances(const YatRows<T>& in, std::int64_t row, std::int64_t first, std::int64_t count, Acc<T>* distance,
                             Acc<T>* apart) {
  using L = Lanes<T>;
  using V = typename L::V;
  using A = Acc<T>;
  const T *dot = in.dot + row * in.units + first, *end = in.dot + in.rows * in.units;
  const A* w_norm = in.w_norm + first;
  const A x_norm = in.x_norm[row];
  V s, norms, epsilon = V{} + in.epsilon, margin = V{} + A(1);
  const V zero = {};
  for (std::int64_t j = 0; j < count; j += L::kWidth) {
    const auto lanes = std::min<std::int64_t>(L::kWidth, count - j);
    load_within(dot + j, lanes, end, s);
    load_any(w_norm + j, lanes, norms);
    norms += x_norm;
    V d = norms - (s + s);
    d = (d > zero) ? d : zero;
    if constexpr (kOwn) load_any(in.epsilons + first + j, lanes, epsilon);
    const V slack = d + epsilon - norms * L::kClose;
    margin = (slack < margin) ? slack : margin;
    Lanes<A>::store(distance + j, d);
  }
  if (!any_negative(margin)) return false;
  const T* x = in.x + row * in.dim;
  for (std::int64_t j = 0; j < count; ++j) {
    const A own = kOwn ? in.epsilons[first + j] : in.epsilon;
    const bool close = distance[j] + own < (x_norm + w_norm[j]) * L::kClose;
    if (close) distance[j] = squared_distance(x, in.w + (first + j) * in.dim, in.dim);
    if (apart) apart[j] = close ? A(0) : A(1);
  }
  return true;
}

template <bool kOwn, class T>
YATLAB_INLINE void forward_body(const YatRows<T>& in, T* y) {
  using L = Lanes<T>;
  using V = typename L::V;
  using A = Acc<T>;
  A distance[kTile];
  V epsilon = V{} + in.epsilon, scale = V{} + in.scale;
  const T* const end = in.dot + in.rows * in.units;
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const T* dots = in.dot + row * in.units;
    T* out = y + row * in.units;
    for (std::int64_t first = 0; first < in.units; first += kTile) {
      const auto count = std::min(kTile, in.units - first);
      distances<kOwn>(in, row, first, count, distance, static_cast<A*>(nullptr));
      for (std::int64_t j = 0; j < count; j += L::kWidth) {
        const auto lanes = std::min<std::int64_t>(L::kWidth, count - j);
        V n, d, inner, outer;
        load_within(dots + first + j, lanes, end, n);
        Lanes<A>::load(distance + j, d);
        load_if(in.inner, first + j, lanes, inner);
        load_if(in.outer, first + j, lanes, outer);
        if constexpr (kOwn) {
          load_any(in.epsilons + first + j, lanes, epsilon);
          load_any(in.scales + first + j, lanes, scale);
        }
        n += inner;
        // n * (n / D), not (n * n) / D: the square would overflow long before the score does.
        const V r = (n * (n / (d + epsilon)) + outer) * scale;
        store_any(out + first + j, lanes, r);
      }
    }
  }
}

template <bool kOwn, class T>
YATLAB_INLINE void backward_body(const YatRows<T>& in, const T* grad, bool bias_after, YatGradients<T>& out) {
  using L = Lanes<T>;
  using V = typename L::V;
  using A = Acc<T>;
  A distance[kTile], apart[kTile], slope[kTile];
  const V keep_inner = V{} + (bias_after ? A(0) : A(1));
  const V keep_outer = V{} + (bias_after ? A(1) : A(0));
  V epsilon = V{} + in.epsilon, scale = V{} + in.scale;
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const std::int64_t start = row * in.units;
    V row_sum = {}, epsilon_sum = {}, scale_sum = {};
    for (std::int64_t first = 0; first < in.units; first += kTile) {
      const auto count = std::min(kTile, in.units - first);
      const bool some_close = distances<kOwn>(in, row, first, count, distance, apart);
      for (std::int64_t j = 0; j < count; j += L::kWidth) {
        const auto lanes = std::min<std::int64_t>(L::kWidth, count - j);
        const std::int64_t unit = first + j;
        V g, n, d, inner, outer, column, bias;
        load_within(grad + start + unit, lanes, grad + in.rows * in.units, g);
        load_within(in.dot + start + unit, lanes, in.dot + in.rows * in.units, n);
        Lanes<A>::load(distance + j, d);
        load_if(in.inner, unit, lanes, inner);
        load_if(in.outer, unit, lanes, outer);
        load_any(out.w_distance + unit, lanes, column);
        load_any(out.bias + unit, lanes, bias);
        if constexpr (kOwn) {
          load_any(in.epsilons + unit, lanes, epsilon);
          load_any(in.scales + unit, lanes, scale);
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
          load_any(apart + j, lanes, part);
          Lanes<A>::store(slope + j, g_epsilon);
          g_distance *= part;
        }
        store_any(out.dot + start + unit, lanes, g_numerator - (g_distance + g_distance));
        store_any(out.w_distance + unit, lanes, column + g_distance);
        store_any(out.bias + unit, lanes, bias + g_numerator * keep_inner + scaled * keep_outer);
        row_sum += g_distance;
        if constexpr (kOwn) {
          V sum;
          load_any(out.epsilons + unit, lanes, sum);
          store_any(out.epsilons + unit, lanes, sum + g_epsilon);
          load_any(out.scales + unit, lanes, sum);
          store_any(out.scales + unit, lanes, sum + g * (n * q + outer));
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

template <class T>
YATLAB_INLINE void norms_body(const T* rows, std::int64_t count, std::int64_t dim, Acc<T>* out) {
  for (std::int64_t r = 0; r < count; ++r) out[r] = squared_norm(rows + r * dim, dim);
}

template <class T>
YATLAB_INLINE void scale_body(const T* rows, const Acc<T>* factor, std::int64_t count, std::int64_t dim, T* out) {
  using L = Lanes<T>;
  for (std::int64_t r = 0; r < count; ++r) {
    const T* from = rows + r * dim;
    T* to = out + r * dim;
    for (std::int64_t k = 0; k < dim; k += L::kWidth) {
      const auto lanes = std::min<std::int64_t>(L::kWidth, dim - k);
      typename L::V v;
      load_any(from + k, lanes, v);
      v *= factor[r] + factor[r];
      store_any(to + k, lanes, v);
    }
  }
}

template <class T>
YATLAB_INLINE void differences_body(const T* own, const T* const* other, const Acc<T>* factor, std::int64_t count, std::int64_t dim,
                                    T* out) {
  using L = Lanes<T>;
  typename L::V a, b, sum;
  for (std::int64_t k = 0; k < dim; k += L::kWidth) {
    const auto lanes = std::min<std::int64_t>(L::kWidth, dim - k);
    load_any(own + k, lanes, a);
    load_any(out + k, lanes, sum);
    for (std::int64_t i = 0; i < count; ++i) {
      load_any(other[i] + k, lanes, b);
      sum += (a - b) * (factor[i] + factor[i]);
    }
    store_any(out + k, lanes, sum);
  }
}

}  // namespace

template <class T>
void squared_norms(const T* rows, std::int64_t count, std::int64_t dim, Acc<T>* out) {
  vector_code([&]() YATLAB_VECTORS { norms_body(rows, count, dim, out); });
}

template <class T>
void scale_rows(const T* rows, const Acc<T>* factor, std::int64_t count, std::int64_t dim, T* out) {
  vector_code([&]() YATLAB_VECTORS { scale_body(rows, factor, count, dim, out); });
}

template <class T>
void yat_forward(const YatRows<T>& in, T* y) {
  if (in.epsilons) {
    vector_code([&]() YATLAB_VECTORS { forward_body<true>(in, y); });
  } else {
    vector_code([&]() YATLAB_VECTORS { forward_body<false>(in, y); });
  }
}

template <class T>
void yat_backward(const YatRows<T>& in, const T* grad, bool bias_after, YatGradients<T>& out) {
  if (in.epsilons) {
    vector_code([&]() YATLAB_VECTORS { backward_body<true>(in, grad, bias_after, out); });
  } else {
    vector_code([&]() YATLAB_VECTORS { backward_body<false>(in, grad, bias_after, out); });
  }
}

template <class T>
void add_differences(const T* own, const T* const* other, const Acc<T>* factor, std::int64_t count, std::int64_t dim, T* out) {
  vector_code([&]() YATLAB_VECTORS { differences_body(own, other, factor, count, dim, out); });
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
