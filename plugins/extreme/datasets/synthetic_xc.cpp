#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/data/sparse_rows.h"
#include "plugins/extreme/datasets/sparse_shaping.h"
#include "plugins/kernels/datasets/generated.h"

namespace yatlab {
namespace {

// The standard fixes the engine's output, but not that of the library's distributions.
class RandomXc {
 public:
  explicit RandomXc(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }
  // Poisson, by multiplying uniform numbers: suitable for means below about 100.
  std::int64_t poisson(double mean) {
    const double limit = std::exp(-mean);
    std::int64_t n = 0;
    for (double product = uniform(); product > limit; product *= uniform()) ++n;
    return n;
  }

 private:
  std::mt19937_64 engine_;
};

// A well-mixed function of two numbers (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return SplitMix64::finalise(a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u); }

// Draws rank r = 0 .. n-1 with weight (r + shift)^-exponent.
class Zipf {
 public:
  Zipf(std::size_t n, double exponent, double shift) : sums_(n) {
    double sum = 0;
    for (std::size_t r = 0; r < n; ++r) sums_[r] = sum += std::pow(static_cast<double>(r) + shift, -exponent);
  }
  std::size_t draw(RandomXc& random) const { return draw(random, sums_.size()); }
  // Restricted to the first `n` ranks.
  std::size_t draw(RandomXc& random, std::size_t n) const {
    const auto end = sums_.begin() + static_cast<std::ptrdiff_t>(n);
    const auto it = std::upper_bound(sums_.begin(), end, random.uniform() * end[-1]);
    return std::min(static_cast<std::size_t>(it - sums_.begin()), n - 1);
  }

 private:
  std::vector<double> sums_;
};

struct Shape {
  std::int64_t train_size = 15539, test_size = 3809, features = 5000, labels = 3993, topics = 60;
  double labels_per_row = 5, words_per_row = 200, label_exponent = 1.0, signal = 0.45;
};

struct Row {
  std::vector<std::int64_t> labels;                   // ascending
  std::vector<std::pair<std::int64_t, float>> words;  // feature and count, ascending
};

// Writes documents: draws labels first, then words for them.
class Author {
 public:
  Author(const Shape& shape, std::uint64_t seed)
      : shape_(shape),
        seed_(seed),
        topics_(std::min<std::size_t>(to(shape.topics), to(shape.labels))),
        labels_(to(shape.labels), shape.label_exponent, 2),
        words_(to(shape.features), 1.0, 3) {}

  Row write(std::uint64_t stream, std::int64_t index) const {
    RandomXc random(mix(stream, static_cast<std::uint64_t>(index)));
    Row row;
    const auto wanted = std::min<std::int64_t>(1 + random.poisson(std::max(0.0, shape_.labels_per_row - 1)), shape_.labels);
    const std::size_t first = labels_.draw(random), topic = first % topics_;
    row.labels.push_back(static_cast<std::int64_t>(first));
    // Most labels of a document share its topic, like the subjects of a legal act.
    const std::size_t in_topic = (to(shape_.labels) - topic + topics_ - 1) / topics_;
    for (int attempt = 0; static_cast<std::int64_t>(row.labels.size()) < wanted && attempt < 100; ++attempt) {
      const auto label =
          static_cast<std::int64_t>(random.uniform() < 0.7 ? labels_.draw(random, in_topic) * topics_ + topic : labels_.draw(random));
      if (std::find(row.labels.begin(), row.labels.end(), label) == row.labels.end()) row.labels.push_back(label);
    }
    std::vector<std::int64_t> words;
    const auto length = 5 + random.poisson(shape_.words_per_row / 4) * 4;  // a wider spread than Poisson, as documents vary in length
    for (std::int64_t i = 0; i < length; ++i) words.push_back(static_cast<std::int64_t>(word(row, random)));
    std::sort(words.begin(), words.end());
    for (const auto w : words) {
      if (row.words.empty() || row.words.back().first != w) row.words.emplace_back(w, 0.f);
      row.words.back().second += 1;
    }
    std::sort(row.labels.begin(), row.labels.end());
    return row;
  }

 private:
  static std::size_t to(std::int64_t n) { return static_cast<std::size_t>(n); }

  std::size_t word(const Row& row, RandomXc& random) const {
    if (random.uniform() >= shape_.signal) return words_.draw(random);
    const auto label = static_cast<std::uint64_t>(row.labels[random.below(row.labels.size())]);
    // One word in three belongs to the label's topic, the others to the label itself.
    const bool of_topic = random.below(3) == 0;
    const auto source = of_topic ? mix(seed_ ^ 1, label % topics_) : mix(seed_ ^ 2, label);
    return static_cast<std::size_t>(mix(source, random.below(of_topic ? 40 : 10)) % to(shape_.features));
  }

  Shape shape_;
  std::uint64_t seed_;
  std::size_t topics_;
  Zipf labels_, words_;
};

std::vector<Row> write_all(const Author& author, std::int64_t size, std::uint64_t stream) {
  std::vector<Row> rows(static_cast<std::size_t>(size));
  at::parallel_for(0, size, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) rows[static_cast<std::size_t>(i)] = author.write(stream, i);
  });
  return rows;
}

// TF-IDF with the training rows' document frequencies, rows of unit length. A word of every document has weight 0
// and is left out.
Split split_of(const std::vector<Row>& rows, const std::vector<float>& idf, std::int64_t labels) {
  const auto n = static_cast<std::int64_t>(rows.size());
  auto starts = at::zeros({n + 1}, at::kLong), label_starts = at::zeros({n + 1}, at::kLong);
  auto* start = starts.data_ptr<std::int64_t>();
  auto* label_start = label_starts.data_ptr<std::int64_t>();
  std::vector<std::int64_t> columns, label_columns;
  std::vector<float> values;
  for (const auto& row : rows) {
    for (const auto& [word, count] : row.words) {
      const float weight = idf[static_cast<std::size_t>(word)];
      if (weight == 0) continue;
      columns.push_back(word);
      values.push_back(count * weight);
    }
    label_columns.insert(label_columns.end(), row.labels.begin(), row.labels.end());
    *++start = static_cast<std::int64_t>(columns.size());
    *++label_start = static_cast<std::int64_t>(label_columns.size());
  }
  const auto features =
      make_sparse_rows(starts, at::tensor(columns, at::kLong), at::tensor(values, at::kFloat), static_cast<std::int64_t>(idf.size()));
  return {normalize_sparse_rows(features), make_sparse_rows(label_starts, at::tensor(label_columns, at::kLong),
                                                            at::ones({static_cast<std::int64_t>(label_columns.size())}), labels)};
}

std::string sum_of(const at::Tensor& csr) {
  return sha256(bytes_of(csr.crow_indices())) + sha256(bytes_of(csr.col_indices())) + sha256(bytes_of(csr.values()));
}

}  // namespace

/// Synthetic documents in the shape of an extreme classification set: label frequencies follow
/// Zipf's law, labels of one topic occur together, and each label and each topic has its own words among
/// common ones. For running such experiments where their data is unavailable, and for trying any number of labels.
/// No result on it is comparable with the paper.
class SyntheticXc final : public Dataset {
 public:
  struct Params {
    Shape shape;
    SparseShaping shaping;
    static void declare(Fields& f, Params& p) {
      f.field("train_size", p.shape.train_size, "number of training rows").min(1);
      f.field("test_size", p.shape.test_size, "number of test rows").min(1);
      f.field("features", p.shape.features, "number of distinct words, the features").min(1).max(2147483647);
      f.field("labels", p.shape.labels, "number of labels; the rarest may never occur").min(1).max(2147483647);
      f.field("topics", p.shape.topics, "number of groups of labels that occur together").min(1);
      f.field("labels_per_row", p.shape.labels_per_row, "mean number of labels per row").range(1, 100);
      f.field("words_per_row", p.shape.words_per_row, "mean number of words per document, repetitions included").range(1, 2000);
      f.field("label_exponent", p.shape.label_exponent, "how steeply label frequencies fall: rank^-exponent").range(0, 3);
      f.field("signal", p.shape.signal, "share of the words that depend on the labels").range(0, 1);
      SparseShaping::declare(f, p.shaping);
    }
  };
  explicit SyntheticXc(const Params& p) : params_(p) {}

  DataShape shape() const override {
    return {DataShape::Inputs::kSparseRows, DataShape::Targets::kLabelSets, input_shape(), num_classes(),
            DataShape::usual_splits(params_.shaping.validation > 0)};
  }
  std::map<std::string, Split> load(const DataContext& context) override {
    const auto& shape = params_.shape;
    const auto seed = [&](const char* purpose) { return derive_seed(context.seed, std::string("synthetic_xc/") + purpose); };
    const Author author(shape, seed("words"));
    std::map<std::string, Split> splits;
    std::vector<float> idf(static_cast<std::size_t>(shape.features), 0.f);
    std::string sums;
    for (const auto& [name, size] : {std::pair{"train", shape.train_size}, std::pair{"test", shape.test_size}}) {
      const auto rows = write_all(author, size, seed(name));
      if (splits.empty()) set_idf(rows, idf);
      const auto& split = splits[name] = split_of(rows, idf, shape.labels);
      sums += sum_of(split.inputs) + sum_of(split.targets);
    }
    provenance_ = {"synthetic_xc", sha256(sums), "embedded", "", {}};
    shape_sparse_splits(splits, params_.shaping, context.seed);
    return splits;
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {params_.shape.features}; }
  std::int64_t num_classes() const override { return params_.shape.labels; }

 private:
  static void set_idf(const std::vector<Row>& rows, std::vector<float>& idf) {
    std::vector<std::int64_t> frequency(idf.size(), 0);
    for (const auto& row : rows) {
      for (const auto& [word, count] : row.words) ++frequency[static_cast<std::size_t>(word)];
    }
    // A word without a training row gets the weight of one that has a single row.
    for (std::size_t w = 0; w < idf.size(); ++w) {
      idf[w] =
          static_cast<float>(std::log(static_cast<double>(rows.size()) / static_cast<double>(std::max<std::int64_t>(frequency[w], 1))));
    }
  }

  Params params_;
  Provenance provenance_;
};

YATLAB_REGISTER(Dataset, SyntheticXc, "synthetic_xc", "synthetic documents with Zipf labels: a substitute for extreme classification sets");

}  // namespace yatlab
