#include <optional>

#include "core/data/locate.h"
#include "core/data/tokenizer.h"

namespace yatlab {

/// GPT-2's byte-pair encoding with its 50,257 tokens. The config says where the merge list is found and downloaded from
/// (configs/tokenizer/gpt2.yaml).
class Gpt2Tokenizer final : public Tokenizer {
 public:
  struct Params {
    Node files = Node::map();
    std::vector<std::string> mirrors;
    static void declare(Fields& f, Params& p) {
      f.map("files", p.files, "the merge list: {merges: {file:, sha256:, urls:}}");
      f.field("mirrors", p.mirrors, "URLs of folders that hold the merge list");
    }
  };
  explicit Gpt2Tokenizer(const Params& p) : p_(p) {}

  void prepare(const DataContext& context) override {
    const auto set = declare_files("gpt2-bpe", p_.files, p_.mirrors, {}, "tokenizer");
    const auto located = locate(set, context);
    if (!located.missing.empty() || !located.paths.count("merges")) {
      throw missing_error(set, context, located.missing.empty() ? "its config names no file 'merges'" : located.missing);
    }
    pairs_ = BytePairs::load(located.paths.at("merges"));
  }
  void encode(std::string_view text, std::vector<Token>& out) const override { pairs_.value().encode(text, out); }
  std::string decode(const std::vector<Token>& tokens) const override { return pairs_.value().decode(tokens); }
  std::size_t vocabulary() const override { return pairs_.value().vocabulary(); }
  Token end_of_text() const override { return pairs_.value().end_of_text(); }

 private:
  Params p_;
  std::optional<BytePairs> pairs_;
};

YATLAB_REGISTER(Tokenizer, Gpt2Tokenizer, "gpt2", "GPT-2's byte-pair encoding, 50,257 tokens");

}  // namespace yatlab
