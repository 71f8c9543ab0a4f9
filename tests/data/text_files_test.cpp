#include "plugins/language/datasets/text_files.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "catch.h"
#include "core/base/hash.h"
#include "core/config/yaml.h"
#include "core/data/batches.h"
#include "core/data/token_shard.h"
#include "core/model/language_model.h"
#include "data/fixtures.h"
#include "helpers.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

using Tokens = std::vector<Token>;

/// A lab's folder with texts, and the messages received.
struct World : OfflineWorld {
  World() { context.search_path = {dir / "lab"}; }
  /// Puts a file there and returns its entry for `files:`.
  std::string file(const std::string& name, const std::string& bytes) {
    put(dir / "lab" / name, bytes);
    return fmt::format("{{file: {}, sha256: {}}}", name, sha256(bytes));
  }
};

std::string shard(const Tokens& tokens) {
  Scratch folder;
  TokenShardWriter writer(folder.path(), "x", 1, 1'000'000);
  writer.append(tokens.data(), tokens.size());
  writer.finish();
  return read_file(writer.files().front());
}

/// Any text data set: all use the same class under different names.
std::shared_ptr<Dataset> text_set(const std::string& yaml, const std::string& name = "tinyshakespeare") {
  Node spec = parse_yaml("{name: " + name + ", tokenizer: {name: bytes}, " + yaml + "}", "test");
  return Registry<Dataset>::create(spec);
}

Tokens tokens_of(const Tensor& stored) {
  const Tensor numbers = token_numbers(stored).contiguous().flatten();
  Tokens out;
  for (std::int64_t i = 0; i < numbers.numel(); ++i) out.push_back(static_cast<Token>(numbers[i].item<std::int64_t>()));
  return out;
}

Tokens counting(std::size_t n, std::size_t first = 0) {
  Tokens out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Token>((first + i) % 250);
  return out;
}

Tokens part(const Tokens& all, std::size_t begin, std::size_t count) {
  return Tokens(all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(begin + count));
}

Tokens document(const std::string& text) {
  Tokens out{256};
  for (const char c : text) out.push_back(static_cast<unsigned char>(c));
  return out;
}

/// All tokens behind a split: its inputs and the last target.
Tokens all_of(const Split& split) {
  Tokens out = tokens_of(split.inputs);
  out.push_back(tokens_of(split.targets).back());
  return out;
}

/// The given samples of a split, from its rows: input and target alternate, in this order.
std::vector<std::pair<Tokens, Tokens>> samples_of(const Split& split, const std::vector<std::int64_t>& which) {
  REQUIRE(split.rows);
  const auto n = static_cast<std::int64_t>(which.size());
  const auto [inputs, targets] = split.rows->buffers(n);
  split.rows->read(which, inputs, targets);
  split.rows->expect(which);  // changes nothing
  std::vector<std::pair<Tokens, Tokens>> out;
  for (std::int64_t i = 0; i < n; ++i) out.emplace_back(tokens_of(inputs[i]), tokens_of(targets[i]));
  return out;
}

std::vector<std::int64_t> all_rows(const Split& split) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(split.size()));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

/// All tokens behind such a split when its windows are consecutive.
Tokens string_of(const Split& split) {
  Tokens out;
  const auto samples = samples_of(split, all_rows(split));
  for (const auto& [input, target] : samples) out.insert(out.end(), input.begin(), input.end());
  out.push_back(samples.back().second.back());
  return out;
}

std::vector<fs::path> kept_files(const fs::path& root, const std::string& name) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() == name) out.push_back(entry.path());
  }
  return out;
}

}  // namespace

TEST_CASE("windows follow llm.c's order with targets shifted by one token", "[text]") {
  Tokens tokens(101);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<Token>(i * 601 % 50257);  // some beyond int16
  const std::int64_t t = 5, b = 4;
  const auto split = token_windows(token_run(tokens), t);
  REQUIRE(split.inputs.sizes() == at::IntArrayRef({20, 5}));
  REQUIRE(split.targets.sizes() == at::IntArrayRef({20, 5}));
  for (std::int64_t i = 0; i < 5; ++i) {  // llm.c: x = tokens[i B T, (i + 1) B T), y = the same + 1
    CHECK(tokens_of(split.inputs.narrow(0, i * b, b)) ==
          part(tokens, static_cast<std::size_t>(i * b * t), static_cast<std::size_t>(b * t)));
    CHECK(tokens_of(split.targets.narrow(0, i * b, b)) ==
          part(tokens, static_cast<std::size_t>(i * b * t) + 1, static_cast<std::size_t>(b * t)));
  }
  CHECK(token_windows(token_run(part(tokens, 0, 100)), t).size() == 19);  // the last window would lack a target
  CHECK(token_windows(token_run(tokens), t, 3).size() == 3);
  CHECK(token_windows(token_run(tokens), t, 300).size() == 20);
  const auto e = caught([&] { token_windows(token_run(counting(5)), 5); });
  CHECK(e.message() == "5 tokens are too few for one sample of 5");
  CHECK_THROWS_AS(token_windows({}, 5), Error);
}

TEST_CASE("windows are views that keep their tokens alive", "[text]") {
  Split split;
  {
    const auto run = token_run(counting(11));
    split = token_windows(run, 5);
    CHECK(split.inputs.data_ptr() == static_cast<const void*>(run.data));
    CHECK(split.targets.data_ptr() == static_cast<const void*>(run.data + 1));
  }
  CHECK(tokens_of(split.inputs) == counting(10));
}

TEST_CASE("runs are joined in order, and one alone is not copied", "[text]") {
  const auto a = token_run(counting(3)), b = token_run(counting(4, 3));
  CHECK(joined({a}).data == a.data);
  const auto both = joined({a, b});
  CHECK(Tokens(both.data, both.data + both.size) == counting(7));
}

TEST_CASE("windows do not cross from one run into the next and are not copied", "[text]") {
  // 23 tokens: four windows of 5, two tokens and a target left over; 6: one, nothing left over; 4: none; 12: two.
  std::vector<Tokens> parts{counting(23), counting(6, 100), counting(4, 150), counting(12, 200)};
  parts[3][4] = 50256;  // beyond int16
  std::vector<TokenRun> runs;
  for (const auto& p : parts) runs.push_back(token_run(p));
  const auto split = windows_of_runs(runs, 5);
  REQUIRE(split.size() == 7);
  CHECK_FALSE(split.inputs.defined());
  const std::vector<std::pair<std::size_t, std::size_t>> where{{0, 0}, {0, 5}, {0, 10}, {0, 15}, {1, 0}, {3, 0}, {3, 5}};
  for (const auto& order : {std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}, {6, 0, 5, 5, 4}, {3}}) {
    const auto got = samples_of(split, order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto [run, begin] = where[static_cast<std::size_t>(order[i])];
      CHECK(got[i].first == part(parts[run], begin, 5));
      CHECK(got[i].second == part(parts[run], begin + 1, 5));
    }
  }
  CHECK(caught([&] { samples_of(split, {7}); }).message() == "sample 7 of 7");
  CHECK(caught([&] { samples_of(split, {-1}); }).message() == "sample -1 of 7");
  const auto few = windows_of_runs(runs, 5, 5);
  CHECK(few.size() == 5);
  CHECK(samples_of(few, {4})[0].first == part(parts[1], 0, 5));
  const auto first = windows_of_runs(runs, 5, 4);  // one run is enough: tensors, and no copy
  CHECK_FALSE(first.rows);
  CHECK(first.inputs.data_ptr() == static_cast<const void*>(runs[0].data));
  CHECK(first.size() == 4);
  // An incomplete batch at the end of a run is left out: 4 -> 3, 1 -> 0, 2 -> 0 samples; 4 -> 4, 1 -> 0, 2 -> 2.
  CHECK(windows_of_runs(runs, 5, {}, 3).size() == 3);
  const auto pairs = windows_of_runs(runs, 5, {}, 2);
  REQUIRE(pairs.size() == 6);
  CHECK(samples_of(pairs, {4})[0].first == part(parts[3], 0, 5));
  CHECK(caught([&] { windows_of_runs(runs, 40); }).message() == "45 tokens are too few for one sample of 40");
  CHECK_THROWS_AS(windows_of_runs({}, 5), Error);
}

TEST_CASE("row readers keep their data alive and name who asked for tensors", "[text]") {
  Split split;
  {
    const std::vector<TokenRun> runs{token_run(counting(11)), token_run(counting(11, 11))};
    split = windows_of_runs(runs, 5);
  }
  CHECK(samples_of(split, {3})[0] == std::make_pair(counting(5, 16), counting(5, 17)));
  const auto e = caught([&] { split.in_tensors("trainer.eval_train"); });
  CHECK(e.kind() == ErrorKind::kConfig);
  CHECK(e.message() ==
        "trainer.eval_train needs the samples as tensors, but these 4 samples are read from several files, one batch at a time");
  CHECK(holds(e.hint(), "dataset.limit"));
  const auto tensors = token_windows(token_run(counting(11)), 5);
  CHECK(&tensors.in_tensors("x") == &tensors);
}

TEST_CASE("batches of rows equal batches of tensors with and without shuffling", "[text][batches]") {
  // The same windows as one tensor and as rows of three runs.
  const auto all = counting(121);
  const auto whole = token_windows(token_run(all), 5);
  std::vector<TokenRun> runs;
  for (const auto& [begin, samples] : std::vector<std::pair<std::size_t, std::size_t>>{{0, 3}, {15, 14}, {85, 7}}) {
    runs.push_back(token_run(part(all, begin, samples * 5 + 1)));
  }
  const auto rows = windows_of_runs(runs, 5);
  REQUIRE(rows.size() == whole.size());
  for (const bool drop_last : {false, true}) {
    Batches a(whole.inputs, whole.targets, 7, drop_last), b(rows, 7, drop_last), c(whole, 7, drop_last, at::Device("cpu"));
    REQUIRE(a.count() == b.count());
    CHECK(a.samples() == b.samples());
    for (const std::uint64_t epoch : {0, 1, 2}) {
      for (auto* x : {&a, &b, &c}) x->start_epoch(epoch > 0, epoch);
      for (const std::int64_t i : {2, 0, 1, static_cast<int>(a.count()) - 1}) {  // a run may start in the middle of an epoch
        const auto want = a.get(i), got = b.get(i), also = c.get(i);
        CHECK(at::equal(got.inputs, want.inputs));
        CHECK(at::equal(got.targets, want.targets));
        CHECK(at::equal(also.inputs, want.inputs));
        CHECK(at::equal(also.targets, want.targets));
      }
    }
  }
  Batches batches(rows, 7);
  CHECK(batches.get(0).inputs.data_ptr() == batches.get(2).inputs.data_ptr());  // no new memory
  CHECK(caught([&] { Batches(rows, 25, true); }).message() == "an epoch has no batches");
  CHECK(caught([&] { Batches(rows, 0); }).message() == "a batch cannot have 0 samples");
}

TEST_CASE("tokens are cut off at the end across several runs", "[text]") {
  const std::vector<TokenRun> runs{token_run(counting(5)), token_run(counting(3, 5)), token_run(counting(4, 8))};
  const auto text = [](const std::vector<TokenRun>& of) {
    const auto one = joined(of);
    return Tokens(one.data, one.data + one.size);
  };
  for (std::size_t cut = 0; cut <= 12; ++cut) {
    auto left = runs;
    const auto end = cut_off_end(left, cut);
    CHECK(text(left) == counting(12 - cut));
    CHECK(text(end) == counting(cut, 12 - cut));
    for (const auto& list : {left, end}) CHECK(std::all_of(list.begin(), list.end(), [](const TokenRun& r) { return r.size > 0; }));
  }
}

TEST_CASE("documents of several runs are shuffled whole, without a copy", "[text]") {
  Tokens tokens;
  std::multiset<Tokens> documents;
  for (std::size_t i = 0; i < 40; ++i) {
    const auto one = document(std::string(i * 5 % 17, static_cast<char>('a' + i % 26)) + std::to_string(i));
    documents.insert(one);
    tokens.insert(tokens.end(), one.begin(), one.end());
  }
  // Split in the middle of documents, in one of them twice, and between two.
  const auto begins_at = [&](std::size_t n) {  // start of document n
    std::size_t i = 0;
    for (std::size_t seen = 0;; ++i) {
      if (tokens[i] == 256 && seen++ == n) return i;
    }
  };
  const std::vector<std::size_t> cuts{0, begins_at(5) + 1, begins_at(5) + 3, begins_at(20), tokens.size()};
  std::vector<TokenRun> runs;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) runs.push_back(token_run(part(tokens, cuts[i], cuts[i + 1] - cuts[i])));
  for (const std::uint64_t seed : {1, 2}) {
    const auto split = windows_of_documents(runs, 256, seed, 1);
    REQUIRE(split.rows);
    const auto got = string_of(split);
    REQUIRE(got.size() == tokens.size());
    std::multiset<Tokens> found;
    for (std::size_t i = 0; i < got.size();) {
      REQUIRE(got[i] == 256);
      const auto end = std::find(got.begin() + static_cast<std::ptrdiff_t>(i) + 1, got.end(), Token{256});
      found.insert(Tokens(got.begin() + static_cast<std::ptrdiff_t>(i), end));
      i = static_cast<std::size_t>(end - got.begin());
    }
    CHECK(found == documents);
    // The same order as for one file that holds them all.
    const auto one = shuffled_documents(joined(runs), 256, seed);
    CHECK(got == Tokens(one.data, one.data + one.size));
    // Long windows are made of many documents.
    const auto same = token_windows(one, 50);
    const auto samples = windows_of_documents(runs, 256, seed, 50);
    REQUIRE(samples.size() == same.size());
    const auto read = samples_of(samples, all_rows(samples));
    for (std::int64_t i = 0; i < same.size(); ++i) {
      CHECK(read[static_cast<std::size_t>(i)] == std::make_pair(tokens_of(same.inputs[i]), tokens_of(same.targets[i])));
    }
    CHECK(windows_of_documents(runs, 256, seed, 50, 2).size() == 2);
    CHECK_FALSE(windows_of_documents({runs[0]}, 256, seed, 5).rows);
  }
  CHECK(string_of(windows_of_documents(runs, 256, 1, 1)) != string_of(windows_of_documents(runs, 256, 2, 1)));
  CHECK_THROWS_AS(windows_of_documents(runs, 256, 1, 5000), Error);
}

TEST_CASE("documents are shuffled whole", "[text]") {
  Tokens tokens;
  std::multiset<Tokens> documents;
  for (std::size_t i = 0; i < 30; ++i) {
    const auto one = document(std::string(i % 7, static_cast<char>('a' + i % 26)));
    documents.insert(one);
    tokens.insert(tokens.end(), one.begin(), one.end());
  }
  const auto shuffled = shuffled_documents(token_run(tokens), 256, 4);
  const Tokens out(shuffled.data, shuffled.data + shuffled.size);
  CHECK(out != tokens);
  std::multiset<Tokens> found;
  for (std::size_t i = 0; i < out.size();) {
    auto end = std::find(out.begin() + static_cast<std::ptrdiff_t>(i) + 1, out.end(), Token{256});
    found.insert(Tokens(out.begin() + static_cast<std::ptrdiff_t>(i), end));
    i = static_cast<std::size_t>(end - out.begin());
  }
  CHECK(found == documents);
  const auto again = shuffled_documents(token_run(tokens), 256, 4), other = shuffled_documents(token_run(tokens), 256, 5);
  CHECK(Tokens(again.data, again.data + again.size) == out);
  CHECK(Tokens(other.data, other.data + other.size) != out);
}

TEST_CASE("several shards are read unchanged in the order of the config", "[text]") {
  World w;
  const auto yaml = fmt::format("context: 4, files: {{train1: {}, train2: {}, validation: {}}}", w.file("a.bin", shard(counting(10))),
                                w.file("b.bin", shard(counting(14, 10))), w.file("v.bin", shard(counting(9, 100))));
  const auto set = text_set(yaml);
  const auto splits = set->load(w.context);
  REQUIRE(splits.size() == 2);
  const auto samples = samples_of(splits.at("train"), all_rows(splits.at("train")));
  REQUIRE(samples.size() == 5);  // two of the first; its remaining tokens belong to no sample
  CHECK(samples[1] == std::make_pair(counting(4, 4), counting(4, 5)));
  CHECK(samples[2] == std::make_pair(counting(4, 10), counting(4, 11)));
  CHECK(samples[4] == std::make_pair(counting(4, 18), counting(4, 19)));
  CHECK(all_of(splits.at("test")) == counting(9, 100));
  CHECK(set->num_classes() == 257);
  CHECK(set->input_shape() == std::vector<std::int64_t>{4});
  CHECK(set->provenance().tier == "local");
  CHECK(set->provenance().files.size() == 3);
  CHECK_FALSE(fs::exists(w.dir / "data"));  // nothing had to be stored
  CHECK(w.notices.empty());
  const auto few = text_set(yaml + ", limit: 2, test_limit: 1")->load(w.context);
  CHECK(few.at("train").size() == 2);
  CHECK(few.at("train").inputs.defined());  // the first file is enough
  CHECK(few.at("test").size() == 1);
  CHECK(text_set(yaml + ", limit: 3")->load(w.context).at("train").size() == 3);
  CHECK(text_set(yaml + ", whole_batches: 2")->load(w.context).at("train").size() == 4);
  // A share of both for validation: the last 8 of 24 tokens.
  const auto shared = text_set(fmt::format("context: 1, validation_share: 0.34, files: {{train1: {}, train2: {}}}",
                                           w.file("a.bin", shard(counting(20))), w.file("b.bin", shard(counting(4, 20)))))
                          ->load(w.context);
  CHECK(all_of(shared.at("test")) == counting(8, 16));
  CHECK(all_of(shared.at("train")) == counting(16));
}

TEST_CASE("a text is tokenized once and its tokens are cached", "[text]") {
  World w;
  const std::string text = "To be, or not to be: that is the question.";
  const auto yaml = fmt::format("context: 4, validation_share: 0.25, files: {{train: {}}}", w.file("input.txt", text));
  const auto first = text_set(yaml)->load(w.context);
  const auto expected = document(text);  // 43 tokens: 33 for training, then 10
  CHECK(all_of(first.at("train")) == part(expected, 0, 33));
  CHECK(all_of(first.at("test")) == part(expected, 33, 9));
  REQUIRE(w.notices.size() == 1);
  CHECK(holds(w.notices[0], "tokenizing input.txt, once"));
  const auto kept = kept_files(w.dir / "data", "text_train_000001.bin");
  REQUIRE(kept.size() == 1);
  const auto written = fs::last_write_time(kept[0]);
  const auto second = text_set(yaml)->load(w.context);
  CHECK(w.notices.size() == 1);
  CHECK(fs::last_write_time(kept[0]) == written);
  CHECK(at::equal(second.at("train").inputs, first.at("train").inputs));
  // Another rule gives other tokens, which are stored separately.
  text_set(yaml + ", documents: lines")->load(w.context);
  CHECK(w.notices.size() == 2);
  CHECK(kept_files(w.dir / "data", "text_train_000001.bin").size() == 2);
}

TEST_CASE("changes made to a text are reported on every read", "[text]") {
  World w;
  const auto yaml = fmt::format("context: 1, validation_share: 0.25, documents: jsonl, files: {{train: {}}}",
                                w.file("input.txt", "{\"text\": \"a letter: \\ud83d\"}\n"));
  for (int i = 0; i < 2; ++i) {
    w.notices.clear();
    text_set(yaml)->load(w.context);
    REQUIRE(!w.notices.empty());
    CHECK(holds(w.notices.back(), "input.txt: 1 lone surrogate "));
  }
  const auto latin =
      fmt::format("context: 1, validation_share: 0.25, files: {{train: {}}}", w.file("latin.txt", "a caf\xE9 on the corner"));
  for (int i = 0; i < 2; ++i) {
    const auto error = error_of([&] { text_set(latin)->load(w.context); });
    CHECK(holds(error, "latin.txt:1:6\n"));
    CHECK(holds(error, "not text in UTF-8"));
  }
}

TEST_CASE("an unwritable token cache is a clear error before tokenizing", "[text]") {
  World w;
  const auto yaml = fmt::format("context: 4, validation_share: 0.25, files: {{train: {}}}", w.file("input.txt", "To be, or not to be"));
  put(w.dir / "file", "in the way");
  w.context.root = w.dir / "file";
  const auto error = error_of([&] { text_set(yaml)->load(w.context); });
  CHECK(holds(error, fmt::format("cannot write to the folder '{}'\n  at: data.root\n  why: Not a directory",
                                 (w.dir / "file/.cache/tokens").string())));
  CHECK(holds(error, "data.root=FOLDER"));
  CHECK(w.notices.empty());
  w.context.root = w.dir / "other";
  CHECK(text_set(yaml)->load(w.context).count("train") == 1);
}

TEST_CASE("damaged cached tokens are reported and made again", "[text]") {
  World w;
  const auto yaml = fmt::format("context: 4, validation_every: 3, documents: lines, files: {{train: {}}}",
                                w.file("input.txt", "first line\nsecond\nthird line\nfourth\nfifth\nsixth line\n"));
  const auto load = [&] { return text_set(yaml)->load(w.context); };
  const auto right = load();
  const auto shard_file = kept_files(w.dir / "data", "text_train_000001.bin").at(0);
  const auto counts = shard_file.parent_path() / "counts", held_out = shard_file.parent_path() / "text_val_000000.bin";
  const auto check_again = [&](const std::string& why) {
    w.notices.clear();
    const auto again = load();
    CHECK(all_of(again.at("train")) == all_of(right.at("train")));
    CHECK(all_of(again.at("test")) == all_of(right.at("test")));
    REQUIRE(w.notices.size() == 2);
    CHECK(holds(w.notices[0], "are damaged"));
    CHECK(holds(w.notices[0], why));
  };
  const auto bytes = read_file(shard_file);
  fs::remove(shard_file);  // never write into a mapped file
  put(shard_file, bytes.substr(0, bytes.size() - 4));
  check_again("is not a token shard");
  fs::remove(held_out);
  check_again("text_val_000000.bin");
  fs::remove(shard_file);
  put(shard_file, shard(counting(7)));  // a complete shard, but a different one
  check_again("has 7 tokens");
  fs::remove(shard_file);
  std::string other = bytes;
  other[other.size() - 1] = '\x77';
  put(shard_file, other);  // not a token of this tokenizer
  check_again("contains token");
  fs::remove(counts);
  check_again("counts");
  put(counts, "x");
  check_again("contains no counts");
  CHECK(kept_files(w.dir / "data", "counts").size() == 1);  // no incomplete folders remain
}

TEST_CASE("validation is every k-th document or a last share or a file", "[text]") {
  World w;
  std::string lines;
  Tokens train, validation;
  for (int i = 0; i < 20; ++i) {
    const auto text = fmt::format("document number {}", i);
    lines += text + "\n";
    auto& to = i % 5 == 4 ? validation : train;
    const auto one = document(text);
    to.insert(to.end(), one.begin(), one.end());
  }
  const auto entry = w.file("a.txt", lines);
  const auto every =
      text_set(fmt::format("context: 1, documents: lines, validation_every: 5, files: {{train: {}}}", entry))->load(w.context);
  CHECK(all_of(every.at("train")) == train);
  CHECK(all_of(every.at("test")) == validation);
  // With a validation file the other two are not needed.
  const auto file =
      text_set(fmt::format("context: 1, documents: lines, validation_every: 5, validation_share: 0.5, files: {{train: {}, validation: {}}}",
                           entry, w.file("v.txt", "held out")))
          ->load(w.context);
  CHECK(all_of(file.at("test")) == document("held out"));
  CHECK(file.at("train").size() + 1 == static_cast<std::int64_t>(train.size() + validation.size()));

  auto e = caught([&] { text_set(fmt::format("context: 1, files: {{train: {}}}", entry))->load(w.context); });
  CHECK(e.kind() == ErrorKind::kConfig);
  CHECK(e.message() == "'tinyshakespeare' has no validation text");
  CHECK(holds(e.hint(), "dataset.validation_share"));
  e = caught([&] { text_set(fmt::format("context: 1, files: {{validation: {}}}", entry))->load(w.context); });
  CHECK(e.message() == "'tinyshakespeare' has no training text");
  e = caught([&] { text_set(fmt::format("context: 1, files: {{tests: {}}}", entry))->load(w.context); });
  CHECK(e.message() == "unknown key 'dataset.files.tests'");
  e = caught([&] { text_set(fmt::format("context: 500, validation_share: 0.1, files: {{train: {}}}", entry))->load(w.context); });
  CHECK(holds(e.message(), "are too few for one sample of 500"));
}

TEST_CASE("order: documents changes only the order of the training documents", "[text]") {
  World w;
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += fmt::format("{0}{0}\n", i);
  const auto yaml = fmt::format("context: 1, documents: lines, validation_every: 4, files: {{train: {}}}", w.file("a.txt", lines));
  const auto plain = text_set(yaml)->load(w.context), mixed = text_set(yaml + ", order: documents")->load(w.context);
  CHECK(all_of(mixed.at("test")) == all_of(plain.at("test")));
  auto a = all_of(plain.at("train")), b = all_of(mixed.at("train"));
  CHECK(a != b);
  CHECK(all_of(text_set(yaml + ", order: documents")->load(w.context).at("train")) == b);
  const auto other = all_of(text_set(yaml + ", order: documents, order_seed: 1")->load(w.context).at("train"));
  CHECK(other != b);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  CHECK(a == b);
  const auto e = caught([&] { text_set(yaml + ", order: documents, whole_batches: 2")->load(w.context); });
  CHECK(e.where() == "dataset.whole_batches");
}

TEST_CASE("order: documents of several files shuffles all their documents", "[text]") {
  World w;
  Tokens tokens;
  for (int i = 0; i < 40; ++i) {
    const auto one = document(fmt::format("{0}{0}", i));
    tokens.insert(tokens.end(), one.begin(), one.end());
  }
  const auto yaml = fmt::format("context: 1, order: documents, files: {{train1: {}, train2: {}, validation: {}}}",  // cut inside a document
                                w.file("a.bin", shard(part(tokens, 0, 31))), w.file("b.bin", shard(part(tokens, 31, tokens.size() - 31))),
                                w.file("v.bin", shard(counting(9))));
  const auto one = fmt::format("context: 1, order: documents, files: {{train: {}, validation: {}}}", w.file("c.bin", shard(tokens)),
                               w.file("v.bin", shard(counting(9))));
  const auto got = string_of(text_set(yaml)->load(w.context).at("train"));
  CHECK(got == all_of(text_set(one)->load(w.context).at("train")));
  CHECK(got != tokens);
  CHECK(got != string_of(text_set(yaml + ", order_seed: 3")->load(w.context).at("train")));
}

TEST_CASE("whole_batches makes batches like llm.c that never mix two files", "[text][batches]") {
  World w;
  const std::size_t b = 3, t = 4;
  const std::vector<Tokens> shards{counting(50), counting(37, 50), counting(36, 87)};
  std::string files;
  for (std::size_t i = 0; i < shards.size(); ++i)
    files += fmt::format("train{}: {}, ", i, w.file(fmt::format("{}.bin", i), shard(shards[i])));
  const auto split = text_set(fmt::format("context: {}, whole_batches: {}, files: {{{} validation: {}}}", t, b, files,
                                          w.file("v.bin", shard(counting(9)))))
                         ->load(w.context)
                         .at("train");
  Batches batches(split, static_cast<std::int64_t>(b));
  batches.start_epoch(false, 0);
  std::int64_t index = 0;
  for (const auto& tokens : shards) {  // dataloader.h: shard_num_samples = (bytes - 2) / (2 B T)
    for (std::size_t sample = 0; sample < (2 * tokens.size() - 2) / (2 * b * t); ++sample, ++index) {
      const auto got = batches.get(index);
      CHECK(tokens_of(got.inputs) == part(tokens, sample * b * t, b * t));
      CHECK(tokens_of(got.targets) == part(tokens, sample * b * t + 1, b * t));
    }
  }
  CHECK(index == 4 + 3 + 2);
  CHECK(batches.count() == index);
}

TEST_CASE("shards of a larger vocabulary are rejected", "[text]") {
  World w;
  auto tokens = counting(50);
  tokens[20] = 50256;
  const auto e = caught([&] {
    text_set(fmt::format("context: 4, files: {{train: {}, validation: {}}}", w.file("a.bin", shard(tokens)),
                         w.file("v.bin", shard(counting(9)))))
        ->load(w.context);
  });
  CHECK(e.kind() == ErrorKind::kData);
  CHECK(e.message() == "'tinyshakespeare' contains token 50256, but the tokenizer has 257");
}

TEST_CASE("shards without a published checksum are recognised by size and recorded", "[text]") {
  World w;
  put(w.dir / "lab/a.bin", shard(counting(40)));
  put(w.dir / "lab/v.bin", shard(counting(9)));
  const std::string yaml = "context: 4, files: {train: {file: a.bin, bytes: 1104}, validation: {file: v.bin, bytes: 1042}}";
  const auto set = text_set(yaml);
  CHECK(all_of(set->load(w.context).at("train")) == counting(37));
  const auto sum = set->provenance().sha256;
  fs::remove(w.dir / "lab/a.bin");
  put(w.dir / "lab/a.bin", shard(counting(40, 1)));
  const auto other = text_set(yaml);
  other->load(w.context);
  CHECK(other->provenance().sha256 != sum);
  fs::remove(w.dir / "lab/a.bin");
  put(w.dir / "lab/a.bin", shard(counting(39)));
  CHECK(caught([&] { text_set(yaml)->load(w.context); }).why() == "expected 1104 bytes, found 1102");
  put(w.dir / "lab/a.bin", std::string(1104, '\0'));
  CHECK(holds(caught([&] { text_set(yaml)->load(w.context); }).why(), "not 20240520"));
}

TEST_CASE("generated text replaces missing files with samples of the same length", "[text]") {
  World w;
  const std::string yaml = "context: 32, validation_share: 0.1, files: {train: {file: absent.txt, sha256: " + sha256("x") +
                           "}}, substitute: {name: generated_text, train_stories: 20, test_stories: 5}";
  const auto set = text_set(yaml);
  const auto splits = set->load(w.context);
  CHECK(splits.at("train").inputs.size(1) == 32);
  CHECK(set->num_classes() == 257);
  CHECK(set->provenance().substituted_for == "tinyshakespeare");
  CHECK(set->provenance().tier == "embedded");
  REQUIRE_FALSE(w.notices.empty());
  CHECK(holds(w.notices.back(), "'generated_text' is used instead"));
  w.context.require_real = true;
  CHECK(caught([&] { text_set(yaml)->load(w.context); }).exit_code() == 3);
  w.context.require_real = false;
  const auto e = caught([&] {
    text_set("context: 32, files: {train: {file: absent.txt, sha256: " + sha256("x") + "}}, substitute: {name: synthetic_digits}")
        ->load(w.context);
  });
  CHECK(holds(e.message(), "cannot be used instead of"));
}

TEST_CASE("a generated story's end can be predicted from its beginning", "[text]") {
  DataContext context;
  const auto load = [&](std::uint64_t seed) {
    context.seed = seed;
    return Registry<Dataset>::create(parse_yaml("{name: generated_text, context: 1, train_stories: 60, test_stories: 6}", "test"))
        ->load(context);
  };
  const auto splits = load(0);
  std::string text;
  for (const Token t : all_of(splits.at("train"))) text += t == 256 ? '\x01' : static_cast<char>(t);
  CHECK(at::equal(load(0).at("train").inputs, splits.at("train").inputs));
  CHECK_FALSE(load(1).at("test").size() == splits.at("test").size());
  // Read each story like a reader, and predict its last sentences.
  std::size_t stories = 0, moves = 0, swaps = 0;
  for (std::size_t begin = 0; begin < text.size(); ++stories) {
    REQUIRE(text[begin] == '\x01');
    auto end = text.find('\x01', begin + 1);
    if (end == std::string::npos) end = text.size();
    std::string story = text.substr(begin + 1, end - begin - 1);
    begin = end;
    std::map<std::string, std::pair<std::string, std::string>> world;  // name -> place, thing
    for (std::size_t at = 0; at < story.size();) {
      auto stop = story.find_first_of(".\n", at);
      if (stop == std::string::npos) stop = story.size();
      std::string sentence = story.substr(at, stop - at);
      at = std::min(story.size(), story.find_first_not_of(" .\n)", stop));
      const auto name = sentence.substr(0, sentence.find(' '));
      const auto between = [&](const std::string& from, const std::string& to) {
        const auto a = sentence.find(from) + from.size();
        return sentence.substr(a, to.empty() ? std::string::npos : sentence.find(to, a) - a);
      };
      if (holds(sentence, "In the end ")) {
        const auto who = between("In the end ", " was at ");
        CHECK(world.at(who) == std::make_pair(between(" was at ", " with "), between(" with ", "")));
      } else if (holds(sentence, " went to ")) {
        world[name] = {between(" went to ", " with "), between(" with ", "")};
      } else if (holds(sentence, " walked to ")) {
        world[name].first = between(" walked to ", "");
        ++moves;
      } else if (holds(sentence, " met ")) {
        auto &one = world[name], &two = world[between(" met ", ",")];
        std::swap(one.second, two.second);
        one.first = two.first;
        ++swaps;
      } else if (holds(sentence, " counted ")) {
        CHECK(std::stoi(between(" counted ", " and")) + std::stoi(between(" and ", " (")) == std::stoi(between("that is ", ")")));
      }
    }
  }
  CHECK(stories == 60);
  CHECK(moves > 20);
  CHECK(swaps > 20);
}

TEST_CASE("real texts have their published sizes", "[text][slow]") {
  const auto shared = fs::path(YATLAB_SOURCE_DIR) / "../shared/data";
  const auto load = [&](const std::string& name, const std::string& changes) {
    World w;
    w.context.shared_path = {shared};
    w.context.require_real = true;
    Node spec = load_yaml(fs::path(YATLAB_SOURCE_DIR) / "configs/dataset" / (name + ".yaml"));
    spec.erase("defaults");
    const Node more = parse_yaml(changes, "test");
    for (const auto& [key, value] : more.as_map()) spec.set(key, value);
    return Registry<Dataset>::create(spec)->load(w.context);
  };
  if (!fs::exists(shared / "tinyshakespeare/input.txt") || !fs::exists(shared / "fineweb-sample/fineweb_sample_val_000000.bin")) {
    WARN("skipped: the real texts are missing");
    return;
  }
  const auto shakespeare = load("tinyshakespeare", "{tokenizer: {name: bytes}, context: 1}");
  // 1,115,394 bytes and the token before them; a tenth is held out, and each split's last token is only a target.
  CHECK(shakespeare.at("train").size() + shakespeare.at("test").size() == 1'115'395 - 2);
  CHECK(shakespeare.at("test").size() == 111'539 - 1);
  const auto sample = load(
      "fineweb_sample",
      "{tokenizer: {name: gpt2, files: " + load_yaml(fs::path(YATLAB_SOURCE_DIR) / "configs/tokenizer/gpt2.yaml").at("files").to_flow() +
          "}, context: 1}");
  CHECK(sample.at("train").size() == (8'373'734 - 1024) / 2 - 1);
  CHECK(sample.at("test").size() == (357'874 - 1024) / 2 - 1);
}
