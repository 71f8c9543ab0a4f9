#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "plugins/kernels/datasets/generated.h"

namespace yatlab {
namespace {

using Numbers = std::vector<std::int64_t>;

class Draw : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;
  /// 0 .. n - 1
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(SplitMix64::below(static_cast<std::size_t>(n))); }
  bool chance(double p) { return static_cast<double>(next() >> 11) * 0x1p-53 < p; }
  void fill(Numbers& x, std::int64_t tokens) {
    for (auto& t : x) t = below(tokens);
  }
  /// The first `count` entries of a random permutation of 0 .. n - 1.
  Numbers distinct(std::int64_t count, std::int64_t n) {
    Numbers all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    for (std::int64_t i = 0; i < count; ++i) std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i + below(n - i))]);
    all.resize(static_cast<std::size_t>(count));
    return all;
  }
};

/// One task. `make` fills a sequence x with tokens below v and y with the answers. y starts as -1, and positions that stay -1 are not scored.
/// The largest token is v - 1; length and v are at least the task's minimum.
struct SequenceTask {
  const char* name;
  std::int64_t length, vocabulary;  ///< defaults, which the config may override
  std::int64_t least_length, least_vocabulary;
  void (*make)(Draw& draw, std::int64_t v, Numbers& x, Numbers& y);
};

void make_copy(Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
  draw.fill(x, v);
  y = x;
}

/// A mark replaces every fourth token of the first half; the answers, from the middle on, are the tokens after the marks. If a mark follows
/// a mark, the answer is the token that the second one replaced, which cannot be predicted: as in the paper's code.
void make_selective_copy(Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
  draw.fill(x, v - 1);
  std::fill(y.begin(), y.end(), 0);
  const auto half = static_cast<std::int64_t>(x.size()) / 2;
  auto marks = draw.distinct(std::max<std::int64_t>(1, half / 4), half);
  std::sort(marks.begin(), marks.end());
  auto answer = y.begin() + half;
  for (const auto mark : marks) {
    const auto at = x.begin() + mark;
    *at = v - 1;
    *answer++ = mark + 1 < half ? *(at + 1) : 0;
  }
}

/// key, value, key, value, ..., separator, one of the keys; the answer is its value.
void make_recall(Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
  const auto pairs = (x.size() - 2) / 2;
  const auto keys = draw.distinct(static_cast<std::int64_t>(pairs), v - 1);
  std::fill(x.begin(), x.end(), 0);
  for (std::size_t i = 0; i < pairs; ++i) {
    x[2 * i] = keys[i];
    x[2 * i + 1] = draw.below(v - 1);
  }
  const auto queried = static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(pairs)));
  x[x.size() - 2] = v - 1;
  x.back() = x[2 * queried];
  y.back() = x[2 * queried + 1];
}

/// The answer is the token after the second pointer. The first pointer has no bearing on the answer: as in the paper's code.
void make_multihop(Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
  draw.fill(x, v - 2);
  const auto n = static_cast<std::int64_t>(x.size()), third = n / 3;
  const auto second = static_cast<std::size_t>(third + draw.below(2 * n / 3 - third));
  x[static_cast<std::size_t>(draw.below(third))] = v - 2;
  x[second] = v - 1;
  y.back() = x[second + 1];
}

/// A push (v - 2) puts a token that the sequence does not show on a stack. The answer to a pop (v - 1) is that token, to all else 0: as in the
/// paper's code. Popped tokens cannot be predicted.
void make_stack(Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
  draw.fill(x, v - 2);
  std::fill(y.begin(), y.end(), 0);
  Numbers stack;
  for (std::size_t t = 0; t < x.size(); ++t) {
    if (draw.chance(0.3) && !stack.empty()) {
      x[t] = v - 1;
      y[t] = stack.back();
      stack.pop_back();
    } else if (draw.chance(0.5)) {
      x[t] = v - 2;
      stack.push_back(draw.below(v - 2));
    }
  }
}

/// The last token but one also occurs in the first half (others may equal it by chance); the answer is the token that followed it there.
void make_induction(Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
  draw.fill(x, v);
  const auto trigger = static_cast<std::size_t>(1 + draw.below(static_cast<std::int64_t>(x.size()) / 2 - 1));
  y.back() = x[trigger + 1];
  x[x.size() - 2] = x[trigger];
}

/// Runs of one to three equal tokens; the answers are the tokens without repetitions, then 0.
void make_compression(Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
  for (std::size_t t = 0; t < x.size();) {
    const auto token = draw.below(v);
    for (auto left = 1 + draw.below(3); left > 0 && t < x.size(); --left) x[t++] = token;
  }
  std::fill(y.begin(), y.end(), 0);
  std::unique_copy(x.begin(), x.end(), y.begin());
}

Numbers counts(const Numbers& x, std::int64_t tokens) {
  Numbers out(static_cast<std::size_t>(tokens));
  for (const auto t : x) ++out[static_cast<std::size_t>(t)];
  return out;
}

template <int kTokens, int kModulus>  // 0: the vocabulary
void make_sum(Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
  draw.fill(x, kTokens);
  y.back() = std::accumulate(x.begin(), x.end(), std::int64_t{0}) % (kModulus > 0 ? kModulus : v);
}

/// The tasks of Bouhsine et al. (arXiv 2602.04915, appendix) as their code draws them; long_copy has the length of their published results.
const std::vector<SequenceTask>& sequence_tasks() {
  static const std::vector<SequenceTask> all = {
      {"copy", 32, 32, 1, 1, make_copy},
      {"sort", 16, 32, 1, 1,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         make_copy(draw, v, x, y);
         std::sort(y.begin(), y.end());
       }},
      {"reverse", 32, 32, 1, 1,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         make_copy(draw, v, x, y);
         std::reverse(y.begin(), y.end());
       }},
      // The needle is always the same token, and is the answer wherever it occurs.
      {"retrieval", 64, 64, 3, 3,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         draw.fill(x, v - 2);
         x[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(x.size()) - 2))] = v - 1;
         x.back() = v - 2;
         y.back() = v - 1;
       }},
      {"kv_recall", 22, 64, 4, 2, make_recall},
      {"first_token", 64, 32, 1, 1,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         draw.fill(x, v);
         y.back() = x.front();
       }},
      {"selective_copy", 64, 32, 2, 2, make_selective_copy},
      {"long_copy", 128, 32, 1, 1, make_copy},
      // The answer, in the middle, is the first token; not scored where it is 0.
      {"distant_match", 128, 32, 2, 2,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         draw.fill(x, v);
         if (x.front() != 0) y[y.size() / 2] = x.front();
       }},
      {"multihop", 64, 32, 3, 3, make_multihop},
      {"stack", 32, 32, 1, 3, make_stack},
      {"induction", 64, 64, 6, 1, make_induction},
      {"pattern", 32, 16, 1, 1,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         Numbers cycle(4);
         draw.fill(cycle, v);
         for (std::size_t t = 0; t < x.size(); ++t) x[t] = cycle[t % 4], y[t] = cycle[(t + 1) % 4];
       }},
      {"counting", 32, 32, 1, 1,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         draw.fill(x, std::min<std::int64_t>(v, 10));
         y.back() = std::min<std::int64_t>(std::count(x.begin(), x.end(), 0), v - 1);
       }},
      {"parity", 32, 2, 1, 2, make_sum<2, 2>},
      {"addition", 16, 32, 1, 2, make_sum<2, 0>},
      {"modular", 16, 8, 1, 7, make_sum<7, 7>},
      // The same transition table for every sequence and every seed.
      {"bigram", 32, 32, 1, 1,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         draw.fill(x, v);
         for (std::size_t t = 0; t < x.size(); ++t) y[t] = Draw(static_cast<std::uint64_t>(x[t])).below(v);
       }},
      // Of equally frequent tokens, the smallest.
      {"majority", 32, 8, 1, 1,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         draw.fill(x, std::min<std::int64_t>(v, 5));
         const auto often = counts(x, v);
         y.back() = std::max_element(often.begin(), often.end()) - often.begin();
       }},
      // The first half, then 0 whatever the input there.
      {"noisy_copy", 64, 32, 2, 2,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         draw.fill(x, v - 1);
         y = x;
         for (auto t = x.size() / 2; t < x.size(); ++t) {
           if (draw.chance(0.3)) x[t] = v - 1;
           y[t] = 0;
         }
       }},
      {"compression", 32, 16, 1, 1, make_compression},
      {"histogram", 32, 16, 5, 1,
       [](Draw& draw, std::int64_t v, Numbers& x, Numbers& y) {
         const auto tokens = std::min<std::int64_t>(v, 5);
         draw.fill(x, tokens);
         std::fill(y.begin(), y.end(), 0);
         const auto often = counts(x, tokens);
         std::transform(often.begin(), often.end(), y.begin(), [&](std::int64_t n) { return std::min(n, v - 1); });
       }},
  };
  return all;
}

/// Sequences generated on read: number i depends on seed, purpose and i alone.
class GeneratedSequences final : public Rows {
 public:
  GeneratedSequences(const SequenceTask& task, std::int64_t length, std::int64_t vocabulary, std::int64_t size, std::uint64_t seed,
                     std::string purpose)
      : task_(task), length_(length), vocabulary_(vocabulary), size_(size), seed_(seed), purpose_(std::move(purpose)) {}
  std::int64_t size() const override { return size_; }
  std::pair<Tensor, Tensor> buffers(std::int64_t n) const override {
    return {at::empty({n, length_}, at::kLong), at::empty({n, length_}, at::kLong)};
  }
  void read(const std::vector<std::int64_t>& rows, const Tensor& inputs, const Tensor& targets) const override {
    auto *in = inputs.data_ptr<std::int64_t>(), *out = targets.data_ptr<std::int64_t>();
    Numbers x(static_cast<std::size_t>(length_)), y(x.size());
    for (const auto row : rows) {
      Draw draw(derive_seed(seed_, purpose_, static_cast<std::uint64_t>(row)));
      std::fill(y.begin(), y.end(), -1);
      task_.make(draw, vocabulary_, x, y);
      in = std::copy(x.begin(), x.end(), in);
      out = std::copy(y.begin(), y.end(), out);
    }
  }
  /// The first n sequences.
  Split first(std::int64_t n) const {
    Numbers rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), 0);
    const auto [inputs, targets] = buffers(n);
    read(rows, inputs, targets);
    return {inputs, targets};
  }

 private:
  const SequenceTask& task_;
  std::int64_t length_, vocabulary_, size_;
  std::uint64_t seed_;
  std::string purpose_;
};

/// Sequences with an answer at some of their positions; for task=scored_positions.
class SequenceTasks final : public Dataset {
 public:
  struct Params {
    const SequenceTask* task = &sequence_tasks().front();
    std::optional<std::int64_t> length, vocabulary;
    std::int64_t train_samples = 1 << 20, test_samples = 1024;
    static void declare(Fields& f, Params& p) {
      std::vector<std::pair<std::string, const SequenceTask*>> tasks;
      for (const auto& task : sequence_tasks()) tasks.emplace_back(task.name, &task);
      f.choice("task", p.task, std::move(tasks), "what each sequence asks for");
      f.field("length", p.length, "tokens per sequence; null: the task's default").range(1, 1e6);
      f.field("vocabulary", p.vocabulary, "number of distinct tokens; null: the task's default").range(1, 32768);
      f.field("train_samples", p.train_samples,
              "samples per epoch, each generated when it is read, in an order that depends on the job's seed; none repeats within an "
              "epoch")
          .range(1, 1e8);
      f.field("test_samples", p.test_samples, "number of test samples, the same for all seeds, none of them in training").range(1, 1e6);
    }
  };
  explicit SequenceTasks(const Params& p)
      : p_(p), length_(p.length.value_or(p.task->length)), vocabulary_(p.vocabulary.value_or(p.task->vocabulary)) {
    const auto least = [&](const char* key, std::int64_t value, std::int64_t bound, const char* why) {
      if (value >= bound) return;
      throw config_error(fmt::format("a {} of {} is too small for the task '{}'", key, value, p.task->name), fmt::format("dataset.{}", key),
                         why, fmt::format("set dataset.{}={} or more", key, bound));
    };
    least("length", length_, p.task->least_length, "the task's question does not fit");
    least("vocabulary", vocabulary_, p.task->least_vocabulary, "the task needs its own tokens");
    if (p.task->make == make_recall) least("vocabulary", vocabulary_, (length_ - 2) / 2 + 1, "keys must be distinct");
  }

  DataShape shape() const override {
    return {DataShape::Inputs::kTokens, DataShape::Targets::kTokens, input_shape(), num_classes(), DataShape::usual_splits()};
  }
  std::map<std::string, Split> load(const DataContext& context) override {
    const auto sequences = [&](const char* split, std::int64_t size) {
      return std::make_shared<GeneratedSequences>(*p_.task, length_, vocabulary_, size, context.seed,
                                                  fmt::format("sequences/{}/{}", p_.task->name, split));
    };
    const auto train = sequences("train", p_.train_samples);
    std::map<std::string, Split> out{{"train", Split{{}, {}, train}}, {"test", sequences("test", p_.test_samples)->first(p_.test_samples)}};
    Hash sum;
    for (const auto& split : {out.at("test"), train->first(std::min(p_.train_samples, kHashed))}) {
      sum.update(bytes_of(split.inputs));
      sum.update(bytes_of(split.targets));
    }
    provenance_ = {"sequence_task", sum.hex(), "embedded", {}, {}};
    return out;
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {length_}; }
  std::int64_t num_classes() const override { return vocabulary_; }

 private:
  static constexpr std::int64_t kHashed = 64;  // training sequences that the data set's hash covers
  Params p_;
  std::int64_t length_, vocabulary_;
  Provenance provenance_;
};

YATLAB_REGISTER(Dataset, SequenceTasks, "sequence_task",
                "synthetic sequences with answers: copy, sort, recall, count; new ones at every step");

}  // namespace
}  // namespace yatlab
