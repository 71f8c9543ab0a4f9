#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/data/dataset.h"

namespace yatlab {
namespace {

/// Trains on one text and measures on another: a language model's loss far from its training text.
class TwoTexts final : public Dataset {
 public:
  struct Params {
    ComponentRef train, test;
    std::int64_t context = 256;
    std::optional<std::int64_t> test_limit;
    static void declare(Fields& f, Params& p) {
      f.component("train", p.train, "dataset", "dataset whose training split is used").required();
      f.component("test", p.test, "dataset", "dataset whose validation split is used").required();
      f.field("context", p.context, "tokens per sample, in both").positive();
      f.field("test_limit", p.test_limit, "maximum number of validation samples").positive();
    }
  };
  explicit TwoTexts(const Params& p) : p_(p) {}

  DataShape shape() const override {
    part(p_.train);  // checks that both can be created
    part(p_.test);
    return {DataShape::Inputs::kTokens, DataShape::Targets::kTokens, input_shape(), 0, DataShape::usual_splits()};
  }
  std::map<std::string, Split> load(const DataContext& context) override {
    train_ = part(p_.train);
    const auto test = part(p_.test);
    std::map<std::string, Split> out;
    out["train"] = train_->load(context).at("train");
    out["test"] = test->load(context).at("test");
    if (test->num_classes() != train_->num_classes()) {
      throw config_error(fmt::format("one text has a vocabulary of {}, the other of {}", train_->num_classes(), test->num_classes()),
                         "dataset", {}, "use the same tokenizer for both");
    }
    const auto &a = train_->provenance(), &b = test->provenance();
    provenance_ = {a.name + ", tested on " + b.name,
                   sha256(a.sha256 + "\n" + b.sha256),
                   a.tier == b.tier ? a.tier : a.tier + ", " + b.tier,
                   {},
                   a.files};
    provenance_.files.insert(provenance_.files.end(), b.files.begin(), b.files.end());
    for (const auto* p : {&a, &b}) {
      if (p->substituted_for.empty() || provenance_.substituted_for == p->substituted_for) continue;
      provenance_.substituted_for += (provenance_.substituted_for.empty() ? "" : ", ") + p->substituted_for;
    }
    return out;
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {p_.context}; }
  std::int64_t num_classes() const override { return train_->num_classes(); }

 private:
  std::shared_ptr<Dataset> part(ComponentRef ref) const {
    if (!ref.node.find("context"))
      throw config_error("'two_texts' needs data sets of text", "dataset", {}, "choose data sets that have a 'context'");
    ref.node.set("context", p_.context);
    if (p_.test_limit && ref.node.find("test_limit")) ref.node.set("test_limit", *p_.test_limit);
    return Registry<Dataset>::create(ref);
  }

  Params p_;
  std::shared_ptr<Dataset> train_;
  Provenance provenance_;
};

YATLAB_REGISTER(Dataset, TwoTexts, "two_texts", "one text to train on, another to evaluate on");

}  // namespace
}  // namespace yatlab
