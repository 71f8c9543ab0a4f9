#pragma once

#include <memory>

#include "core/data/locate.h"
#include "core/data/tokenizer.h"
#include "plugins/language/datasets/documents.h"
#include "plugins/language/datasets/token_windows.h"

namespace yatlab {

/// Texts for language models: files under keys that begin with `train` and, where they exist, `validation`. Token shards (.bin) are read
/// directly, everything else is tokenized on first use (kept in <data.root>/.cache/tokens). File names, checksums and addresses come from the
/// config (configs/dataset/<name>.yaml). A data set of this kind derives from it and gives its name: plugins/language/datasets/tinyshakespeare.cpp.
///
/// Splits: "train" and "test", where "test" is the validation text under the name that every experiment measures. Samples are `token_windows`:
/// tensors that view the tokens. With several training files "train" has `rows` instead: nothing is copied, so 25 shards of 100 million
/// tokens need no memory except the kernel's page cache.
class TextFiles : public Dataset {
 public:
  enum class Order { kFile, kDocuments };
  struct Params {
    Node files;
    std::string folder;
    std::vector<std::string> mirrors;
    ComponentRef tokenizer, substitute;
    DocumentRule documents = DocumentRule::kFile;
    std::int64_t validation_every = 0;
    double validation_share = 0;
    std::int64_t context = 256;
    Order order = Order::kFile;
    std::int64_t order_seed = 0;
    std::optional<std::int64_t> whole_batches, limit, test_limit;
    static void declare(Fields& f, Params& p);
  };

  DataShape shape() const override;
  std::map<std::string, Split> load(const DataContext& context) override;
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {params_.context}; }
  /// The tokenizer's vocabulary; known after `load`.
  std::int64_t num_classes() const override { return vocabulary_; }

 protected:
  TextFiles(std::string name, const Params& params) : name_(std::move(name)), params_(params) {}

 private:
  /// The file's tokens: training and validation.
  std::pair<TokenRun, TokenRun> read(const DataFile& file, const std::filesystem::path& path, bool split, const Tokenizer& tokenizer,
                                     const DataContext& context) const;

  std::string name_;
  Params params_;
  std::int64_t vocabulary_ = 0;
  Provenance provenance_;
};

}  // namespace yatlab
