// The functions of the override grammar.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/config/function_doc.h"
#include "core/config/grammar.h"
#include "core/config/limits.h"
#include "core/config/scalar.h"

namespace yatlab::grammar {
namespace {

/// One call: its arguments, and messages that point at them.
class Call {
 public:
  Call(std::string name, std::size_t at, std::vector<Argument> args, const Report& report)
      : function_(find(name)), name_(std::move(name)), at_(at), args_(std::move(args)), report_(report) {}

  struct Function {
    FunctionDoc doc;
    Value (Call::*run)();
  };
  static const std::vector<Function>& functions() {
    static const std::vector<Function> kTable{
        {{"int", "int(value)", "the value as an integer, cut toward zero; inside lists, maps and sweeps too"}, &Call::cast},
        {{"float", "float(value)", "the value as a float; inside lists, maps and sweeps too"}, &Call::cast},
        {{"str", "str(value)", "the value as text; inside lists, maps and sweeps too"}, &Call::cast},
        {{"bool", "bool(value)", "numbers other than 0 and the word true are true; inside lists, maps and sweeps too"}, &Call::cast},
        {{"json_str", "json_str(value)", "the value as JSON, in one text"}, &Call::cast},
        {{"choice", "choice(a, b, ...)", "a sweep over the values; they may be lists and maps"}, &Call::choice},
        {{"range", "range(stop), range(start, stop) or range(start, stop, step)",
          "a sweep from start to stop (excluded), in decimal arithmetic: range(0, 1, 0.1) has ten values"},
         &Call::range},
        {{"logspace", "logspace(start, end, n)",
          "a sweep over n numbers from start to end, both included, each the same multiple of the one before: logspace(1e-6, 1, 7) has the "
          "decades"},
         &Call::logspace},
        {{"interval", "interval(start, end)",
          "every number from start to end (excluded), for sweepers that search: sweeper=random, sobol, tpe or cmaes; tag(log, "
          "interval(1e-5, 1)) "
          "in equal factors, int(interval(1, 9)) whole numbers, 9 too"},
         &Call::interval},
        {{"zip", "zip(key=[1, 2], other.key=[3, 4])", "a sweep that moves several keys together; the lists are equally long"}, &Call::zip},
        {{"tag", "tag(name, ..., sweep)", "the sweep, with names for a sweeper to read"}, &Call::tag},
        {{"sort", "sort(3, 1, 2), sort([3, 1, 2]) or sort(choice(3, 1, 2)), with reverse=true if wanted", "a list or sweep in order"},
         &Call::sort},
        {{"shuffle", "shuffle(a, b, c), shuffle([a, b, c]) or shuffle(choice(a, b, c))",
          "a list or sweep in another order, which follows from the text alone"},
         &Call::shuffle},
        {{"glob", "glob(pattern) or glob([patterns], exclude=[patterns])", "a sweep over the options of a group that match"}, &Call::glob},
        {{"extend_list", "extend_list(a, b, ...)", "the values, appended to the list that is there (Hydra deprecates it; here it stays)"},
         &Call::extend_list}};
    return kTable;
  }
  static const Function* find(const std::string& name) {
    for (const auto& f : functions()) {
      if (f.doc.name == name) return &f;
    }
    return nullptr;
  }

  Value run() { return (this->*function_->run)(); }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& why, const std::string& hint) const { report_.fail(at, why, hint); }
  std::string how() const { return "write " + function_->doc.signature; }
  [[noreturn]] void no_such_name(const Argument& arg) const {
    fail(arg.at, fmt::format("{} has no argument named '{}'", name_, arg.name), how());
  }
  void no_named() const {
    for (const auto& arg : args_) {
      if (!arg.name.empty()) no_such_name(arg);
    }
  }
  /// Puts arguments into the order of `names`; missing ones are null pointers.
  std::vector<const Argument*> bind(const std::vector<std::string>& names) const {
    std::vector<const Argument*> out(names.size(), nullptr);
    std::size_t position = 0;
    for (const auto& arg : args_) {
      std::size_t slot = position;
      if (arg.name.empty()) {
        if (++position > names.size()) {
          fail(arg.at, fmt::format("{} takes at most {} arguments", name_, names.size()), how());
        }
      } else {
        slot = static_cast<std::size_t>(std::find(names.begin(), names.end(), arg.name) - names.begin());
        if (slot == names.size()) no_such_name(arg);
      }
      if (out[slot]) fail(arg.at, fmt::format("the argument '{}' is given twice", names[slot]), "keep one of them");
      out[slot] = &arg;
    }
    return out;
  }
  const Node& number(const Argument& arg) const {
    if (arg.value.sweep || !arg.value.node.is_number()) fail(arg.at, fmt::format("{} takes numbers", name_), how());
    return arg.value.node;
  }
  static Value of(Node node) {
    Value out;
    out.node = std::move(node);
    return out;
  }

  // Casts.

  Value cast() {
    no_named();
    if (args_.empty()) fail(at_, fmt::format("{} takes a value", name_), how());
    if (args_.size() > 1) {  // several make a sweep
      Value out = choice();
      for (std::size_t i = 0; i < args_.size(); ++i) out.sweep->values[i] = cast_node(out.sweep->values[i], args_[i].at);
      return out;
    }
    Value value = std::move(args_[0].value);
    const std::size_t at = args_[0].at;
    if (!value.sweep) return of(cast_node(value.node, at));
    auto& sweep = *value.sweep;
    const bool numeric = name_ == "int" || name_ == "float";
    if (sweep.kind == SweepKind::kGlob) {
      fail(at, fmt::format("{} cannot be applied to a glob", name_), "options of a group are always strings");
    }
    if (sweep.kind == SweepKind::kZip) {
      fail(at, fmt::format("{} cannot be applied to a zip", name_), fmt::format("cast inside it: zip(key={}([1, 2]))", name_));
    }
    if ((sweep.kind == SweepKind::kRange || sweep.kind == SweepKind::kInterval) && !numeric) {
      fail(at, fmt::format("{} can only be cast to int or float", sweep.kind == SweepKind::kRange ? "a range" : "an interval"),
           fmt::format("list the values: {}(choice(...))", name_));
    }
    if (sweep.kind == SweepKind::kInterval) {
      if (name_ == "int") {
        sweep.begin = std::trunc(sweep.begin);
        sweep.end = std::trunc(sweep.end);
        sweep.whole = true;
      }
    } else if (value.range) {
      for (auto& bound : *value.range) bound = cast_node(bound, at);
      sweep.values = expand(*value.range, at);
    } else {
      for (auto& v : sweep.values) v = cast_node(v, at);
    }
    return value;
  }

  Node cast_node(const Node& node, std::size_t at) const {
    if (name_ == "json_str") return Node(json_text(node));
    if (node.is_list()) {
      Node out = Node::list();
      for (const auto& item : node.as_list()) out.push_back(cast_node(item, at));
      return out;
    }
    if (node.is_map()) {
      Node out = Node::map();
      for (const auto& [key, item] : node.as_map()) out.as_map().emplace_back(key, cast_node(item, at));
      return out;
    }
    if (name_ == "str") return Node(scalar_to_text(node));
    try {
      if (name_ == "bool") {
        if (node.is_bool()) return Node(node.as_bool());
        if (node.is_number()) return Node(node.as_double() != 0);
        const std::string word = node.is_string() ? lower(node.as_string()) : "";
        if (word == "true" || word == "false") return Node(word == "true");
        cannot_cast(node, at, "only numbers and the words true and false can be bools");
      }
      if (node.is_null()) cannot_cast(node, at, "null is not a number");
      Node value = node;
      if (node.is_string()) {
        const auto typed = type_override_word(trim(node.as_string()));
        if (!typed || !typed->is_number() || (name_ == "int" && !typed->is_int())) {
          cannot_cast(node, at, fmt::format("the string is not {}", name_ == "int" ? "an integer" : "a number"));
        }
        value = *typed;
      }
      const double number = value.is_bool() ? (value.as_bool() ? 1.0 : 0.0) : value.as_double();
      if (name_ == "float") return Node(number);
      if (value.is_int()) return Node(value.as_int());
      if (!(std::fabs(number) < 9.2e18)) cannot_cast(node, at, "it does not fit in 64 bits");
      return Node(static_cast<std::int64_t>(number));
    } catch (const Error& e) {
      if (!e.where().empty()) throw;
      fail(at, e.message(), e.hint());
    }
  }
  [[noreturn]] void cannot_cast(const Node& node, std::size_t at, const std::string& why) const {
    fail(at, fmt::format("{} cannot become {}: {}", describe_value(node), name_, why), "correct the value or remove the cast");
  }
  static std::string json_text(const Node& node) {
    std::vector<std::string> items;
    if (node.is_list()) {
      for (const auto& item : node.as_list()) items.push_back(json_text(item));
      return "[" + join(items, ", ") + "]";
    }
    if (node.is_map()) {
      for (const auto& [key, item] : node.as_map()) items.push_back(dump_json(to_json(Node(key))) + ": " + json_text(item));
      return "{" + join(items, ", ") + "}";
    }
    return dump_json(to_json(node));
  }

  // Sweeps.

  Value choice() {
    no_named();
    if (args_.empty()) fail(at_, "choice needs at least one value", how());
    Value out;
    out.sweep.emplace();
    out.sweep->kind = SweepKind::kChoice;
    for (auto& arg : args_) {
      if (arg.value.sweep || arg.value.extend) {
        fail(arg.at, fmt::format("a sweep is not allowed inside {}", name_ == "choice" ? "choice" : "a list of values"),
             "list all the values in one choice(...)");
      }
      out.sweep->values.push_back(std::move(arg.value.node));
    }
    return out;
  }

  std::vector<Node> expand(const Node::List& range, std::size_t at) const {
    try {
      return decimal_range(range[0], range[1], range[2]);
    } catch (const Error& e) {
      fail(at, e.message(), e.hint());
    }
  }

  Value range() {
    auto bound = bind({"start", "stop", "step"});
    Node::List list{Node(0), Node(0), Node(1)};
    if (!bound[1]) std::swap(bound[0], bound[1]);  // a single bound is the stop
    if (!bound[1]) fail(at_, "range needs a stop", how());
    for (std::size_t i = 0; i < 3; ++i) {
      if (bound[i]) list[i] = number(*bound[i]);
    }
    Value out;
    out.sweep.emplace();
    out.sweep->kind = SweepKind::kRange;
    out.sweep->values = expand(list, at_);
    if (out.sweep->values.empty()) {
      fail(at_, "this range is empty", "the stop is excluded, and the step must lead from start to stop");
    }
    out.range = std::move(list);
    return out;
  }

  Value logspace() {
    const auto bound = bind({"start", "end", "n"});
    if (!bound[0] || !bound[1] || !bound[2]) fail(at_, "logspace needs a start, an end and a number of values", how());
    const double start = number(*bound[0]).as_double(), end = number(*bound[1]).as_double();
    const Node& count = number(*bound[2]);
    if (!(start > 0 && end > 0) || start == end)
      fail(at_, "logspace needs two different ends, both above 0", "use range(...) for values around 0");
    if (!count.is_int() || count.as_int() < 2) fail(bound[2]->at, "logspace needs at least two numbers", how());
    if (count.as_int() > static_cast<std::int64_t>(limits::kPoints))
      fail(bound[2]->at, fmt::format("at most {} numbers", limits::kPoints), how());
    Value out;
    out.sweep.emplace();
    out.sweep->kind = SweepKind::kChoice;
    const auto n = count.as_int();
    for (std::int64_t i = 0; i < n; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(n - 1);
      // Rounds to twelve digits, so that powers of ten are exact.
      const double value = i == 0 ? start
                           : i == n - 1
                               ? end
                               : std::stod(fmt::format("{:.12g}", std::exp(std::log(start) + share * (std::log(end) - std::log(start)))));
      out.sweep->values.emplace_back(value);
    }
    return out;
  }

  Value interval() {
    const auto bound = bind({"start", "end"});
    if (!bound[0] || !bound[1]) fail(at_, "interval needs a start and an end", how());
    Value out;
    out.sweep.emplace();
    out.sweep->kind = SweepKind::kInterval;
    out.sweep->begin = number(*bound[0]).as_double();
    out.sweep->end = number(*bound[1]).as_double();
    return out;
  }

  Value zip() {
    if (args_.empty()) fail(at_, "zip needs keys with lists", how());
    if (args_.size() > limits::kKeys) fail(at_, fmt::format("a zip can have at most {} keys", limits::kKeys), "is this a data file?");
    Value out;
    out.sweep.emplace();
    out.sweep->kind = SweepKind::kZip;
    Node& columns = out.sweep->columns;
    for (auto& arg : args_) {
      if (arg.name.empty()) fail(arg.at, "each argument of zip must be a key with its values", how());
      if (columns.has(arg.name)) fail(arg.at, fmt::format("'{}' is given twice", arg.name), "keep one of them");
      Value& value = arg.value;
      const auto kind = value.sweep ? value.sweep->kind : SweepKind::kChoice;
      if (kind == SweepKind::kGlob) {
        columns.set(arg.name, Node(arg.text));
      } else if (value.sweep && kind != SweepKind::kInterval && kind != SweepKind::kZip) {
        columns.set(arg.name, Node(std::move(value.sweep->values)));
      } else if (value.node.is_list()) {
        columns.set(arg.name, std::move(value.node));
      } else {
        fail(arg.at, fmt::format("'{}' is not a list of values", arg.name), how());
      }
    }
    return out;
  }

  Value tag() {
    for (const auto& arg : args_) {
      if (!arg.name.empty() && (arg.name != "sweep" || &arg != &args_.back())) no_such_name(arg);
    }
    if (args_.empty() || !args_.back().value.sweep) {
      fail(args_.empty() ? at_ : args_.back().at, "the last argument of tag must be a sweep", "write tag(name, ..., choice(a, b))");
    }
    Value out = std::move(args_.back().value);
    for (std::size_t i = 0; i + 1 < args_.size(); ++i) {
      const auto& arg = args_[i];
      if (arg.value.sweep || !arg.value.node.is_string()) {
        fail(arg.at, "tags must be strings", "write tag(name, ..., choice(a, b))");
      }
      out.sweep->tags.push_back(arg.value.node.as_string());
    }
    return out;
  }

  /// The input of sort and shuffle: a list, a sweep, or their own arguments as a comma list.
  Value subject(const std::vector<std::string>& named_values, const std::vector<std::string>& options) {
    std::vector<Argument> values;
    for (auto& arg : args_) {
      const bool named = std::find(named_values.begin(), named_values.end(), arg.name) != named_values.end();
      const bool option = std::find(options.begin(), options.end(), arg.name) != options.end();
      if (!arg.name.empty() && !named && !option) no_such_name(arg);
      if (arg.value.extend)
        fail(arg.at, fmt::format("{} cannot be applied to extend_list", name_), fmt::format("write extend_list({}(...))", name_));
      if (!option) values.push_back(arg);
    }
    if (values.empty()) fail(at_, fmt::format("{} needs values", name_), how());
    if (values.size() == 1) {
      Value& only = values[0].value;
      if (only.sweep && only.sweep->kind != SweepKind::kInterval && only.sweep->kind != SweepKind::kGlob &&
          only.sweep->kind != SweepKind::kZip)
        return only;
      if (only.sweep) fail(values[0].at, fmt::format("{} works on lists, choices and ranges", name_), "use choice(...)");
      if (only.node.is_list()) return only;
    }
    Value out;
    out.sweep.emplace();
    for (auto& arg : values) {
      if (arg.value.sweep) fail(arg.at, fmt::format("{} takes either one sweep or plain values", name_), how());
      out.sweep->values.push_back(std::move(arg.value.node));
    }
    return out;
  }
  static std::vector<Node>& items(Value& value) { return value.sweep ? value.sweep->values : value.node.as_list(); }

  Value sort() {
    if (args_.size() == 1 && args_[0].name.empty() && !args_[0].value.sweep && !args_[0].value.node.is_list()) return args_[0].value;
    bool reverse = false;
    for (const auto& arg : args_) {
      if (arg.name != "reverse") continue;
      if (arg.value.sweep || !arg.value.node.is_bool()) fail(arg.at, "reverse must be true or false", "write reverse=true");
      reverse = arg.value.node.as_bool();
    }
    Value out = subject({"list", "sweep"}, {"reverse"});
    auto& values = items(out);
    const bool numbers = std::all_of(values.begin(), values.end(), [](const Node& n) { return n.is_number(); });
    const bool texts = std::all_of(values.begin(), values.end(), [](const Node& n) { return n.is_string(); });
    if (!numbers && !texts) fail(at_, "sort cannot compare numbers with strings", "use values of one type");
    std::stable_sort(values.begin(), values.end(), [&](const Node& x, const Node& y) {
      const Node& a = reverse ? y : x;
      const Node& b = reverse ? x : y;
      return numbers ? a.as_double() < b.as_double() : a.as_string() < b.as_string();
    });
    out.range.reset();
    return out;
  }

  Value shuffle() {
    Value out = subject({"list", "sweep"}, {});
    auto& values = items(out);
    // The order depends only on the text, so that a repeated command plans the same jobs.
    std::mt19937_64 engine(derive_seed(0, "config shuffle " + std::string(report_.text)));
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[engine() % i]);
    out.range.reset();
    return out;
  }

  Value glob() {
    const auto bound = bind({"include", "exclude"});
    if (!bound[0]) fail(at_, "glob needs a pattern", how());
    Value out;
    out.sweep.emplace();
    out.sweep->kind = SweepKind::kGlob;
    out.sweep->include = patterns(*bound[0]);
    if (bound[1]) out.sweep->exclude = patterns(*bound[1]);
    return out;
  }
  std::vector<std::string> patterns(const Argument& arg) const {
    if (arg.value.sweep) fail(arg.at, "patterns must be strings", how());
    std::vector<std::string> out;
    const Node::List one{arg.value.node};
    for (const auto& item : arg.value.node.is_list() ? arg.value.node.as_list() : one) {
      if (!item.is_string()) fail(arg.at, "patterns must be strings", how());
      out.push_back(item.as_string());
    }
    return out;
  }

  Value extend_list() {
    no_named();
    Value out = of(Node::list());
    out.extend = true;
    for (auto& arg : args_) {
      if (arg.value.sweep || arg.value.extend) fail(arg.at, "a sweep is not allowed inside extend_list", "give plain values");
      out.node.push_back(std::move(arg.value.node));
    }
    return out;
  }

  const Function* function_;
  std::string name_;
  std::size_t at_;
  std::vector<Argument> args_;
  const Report& report_;
};

}  // namespace

bool is_function(const std::string& name) { return Call::find(name) != nullptr; }

Value call(const std::string& name, std::size_t at, std::vector<Argument> args, const Report& report) {
  return Call(name, at, std::move(args), report).run();
}

}  // namespace yatlab::grammar

namespace yatlab {

const std::vector<FunctionDoc>& override_functions() {
  static const std::vector<FunctionDoc> kDocs = [] {
    std::vector<FunctionDoc> out;
    for (const auto& f : grammar::Call::functions()) out.push_back(f.doc);
    return out;
  }();
  return kDocs;
}

}  // namespace yatlab
