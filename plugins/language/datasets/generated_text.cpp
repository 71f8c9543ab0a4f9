#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/hash.h"
#include "plugins/kernels/datasets/generated.h"
#include "plugins/language/datasets/token_windows.h"

namespace yatlab {
namespace {

class RandomChoice : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;
  template <class T, std::size_t N>
  const T& of(const std::array<T, N>& choices) {
    return choices[below(N)];
  }
};

constexpr std::array<const char*, 24> kNames = {"Anna",  "Boris", "Clara", "David", "Edith",  "Felix", "Greta",  "Henry",
                                                "Irene", "Jonas", "Karin", "Louis", "Maria",  "Niels", "Olga",   "Peter",
                                                "Quinn", "Rosa",  "Simon", "Tilda", "Ulrich", "Vera",  "Walter", "Yvonne"};
constexpr std::array<const char*, 12> kPlaces = {"the harbour", "the mill",   "the library", "the old bridge", "the market", "the garden",
                                                 "the station", "the castle", "the bakery",  "the river",      "the forest", "the school"};
constexpr std::array<const char*, 12> kThings = {"a lantern", "a map",     "a violin",    "a letter", "a basket", "a clock",
                                                 "a key",     "a blanket", "a telescope", "a loaf",   "a mirror", "a rope"};
constexpr std::array<const char*, 6> kWeather = {"It was raining.",   "The sun was low.",    "A wind came up.",
                                                 "Snow was falling.", "The fog had lifted.", "It was a warm night."};

/// A story whose end can be predicted only from its beginning: who carries what, and where each of them is. Brackets nest, counts add up.
std::string story(RandomChoice& random) {
  const auto count = 2 + random.below(3);
  std::vector<std::size_t> who, what, where;
  while (who.size() < count) {
    const auto name = random.below(kNames.size());
    if (std::find(who.begin(), who.end(), name) != who.end()) continue;
    who.push_back(name);
    what.push_back(random.below(kThings.size()));
    where.push_back(random.below(kPlaces.size()));
  }
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += fmt::format("{} went to {} with {}. ", kNames[who[i]], kPlaces[where[i]], kThings[what[i]]);
  const auto turns = 3 + random.below(6);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const auto i = random.below(count), j = random.below(count);
    switch (random.below(4)) {
      case 0:
        where[i] = random.below(kPlaces.size());
        out += fmt::format("{} walked to {}. ", kNames[who[i]], kPlaces[where[i]]);
        break;
      case 1:
        if (i == j) break;
        std::swap(what[i], what[j]);
        where[i] = where[j];
        out += fmt::format("{} met {}, and they exchanged what they had. ", kNames[who[i]], kNames[who[j]]);
        break;
      case 2:
        out += fmt::format("{} ", random.of(kWeather));
        break;
      default: {
        const auto a = 1 + random.below(9), b = 1 + random.below(9);
        out += fmt::format("({} counted {} and {} (that is {})). ", kNames[who[i]], a, b, a + b);
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    out += fmt::format("In the end {} was at {} with {}. ", kNames[who[i]], kPlaces[where[i]], kThings[what[i]]);
  out.back() = '\n';
  return out;
}

/// Generated stories, as bytes: the substitute for the real texts, and a quick data set of its own.
class GeneratedText final : public Dataset {
 public:
  struct Params {
    std::int64_t train_stories = 2000, test_stories = 200, context = 256;
    static void declare(Fields& f, Params& p) {
      f.field("train_stories", p.train_stories, "number of training stories, about 400 bytes each").positive();
      f.field("test_stories", p.test_stories, "number of validation stories, none of them in training").positive();
      f.field("context", p.context, "tokens per sample").positive();
    }
  };
  explicit GeneratedText(const Params& p) : p_(p) {}

  DataShape shape() const override {
    return {DataShape::Inputs::kTokens, DataShape::Targets::kTokens, input_shape(), num_classes(), DataShape::usual_splits()};
  }
  std::map<std::string, Split> load(const DataContext& context) override {
    std::string all;
    const auto split = [&](const char* name, std::int64_t stories) {
      std::vector<Token> tokens;
      for (std::int64_t i = 0; i < stories; ++i) {
        RandomChoice random(derive_seed(context.seed, fmt::format("stories/{}", name), static_cast<std::uint64_t>(i)));
        const auto text = story(random);
        all += text;
        tokens.push_back(kEndOfText);
        for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
      }
      return token_windows(token_run(std::move(tokens)), p_.context);
    };
    std::map<std::string, Split> out;
    out["train"] = split("train", p_.train_stories);
    out["test"] = split("test", p_.test_stories);
    provenance_ = {"generated_text", sha256(all), "embedded", {}, {}};
    return out;
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {p_.context}; }
  std::int64_t num_classes() const override { return kEndOfText + 1; }

 private:
  static constexpr Token kEndOfText = 256;  // as in the tokenizer `bytes`
  Params p_;
  Provenance provenance_;
};

YATLAB_REGISTER(Dataset, GeneratedText, "generated_text", "generated stories whose end follows from their beginning");

}  // namespace
}  // namespace yatlab
