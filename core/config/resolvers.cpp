#include "core/config/resolvers.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/scalar.h"

namespace yatlab {
namespace {

[[noreturn]] void fail(const ResolverCall& call, const std::string& what, const std::string& hint) {
  throw config_error(what, call.origin.describe(), fmt::format("it is used by '{}'", call.key), hint);
}

void expect_args(const ResolverCall& call, std::size_t least, std::size_t most) {
  if (call.args.size() >= least && call.args.size() <= most) return;
  fail(call, fmt::format("wrong number of arguments: {}", call.args.size()), "write " + call.signature);
}

std::string text_arg(const ResolverCall& call, std::size_t i) {
  const Node& arg = call.args[i];
  if (arg.is_map() || arg.is_list() || arg.is_null())
    fail(call, fmt::format("argument {} must be a string", i + 1), "write " + call.signature);
  return text_of_scalar(arg);
}

Node env(const ResolverCall& call) {
  expect_args(call, 1, 2);
  const auto name = text_arg(call, 0);
  if (const char* value = std::getenv(name.c_str())) {
    if (first_invalid_utf8(value) != std::string_view::npos) {
      fail(call, fmt::format("the environment variable '{}' is not UTF-8", name), "use a UTF-8 terminal");
    }
    return Node(value);
  }
  if (call.args.size() == 1) {
    fail(call, fmt::format("the environment variable '{}' is not set", name),
         fmt::format("export {0}=... or give a default: ${{oc.env:{0},default}}", name));
  }
  if (call.args[1].is_null()) return {};
  return Node(text_arg(call, 1));
}

Node decode(const ResolverCall& call) {
  expect_args(call, 1, 1);
  if (call.args[0].is_null()) return {};
  return call.decode(text_arg(call, 0));
}

Node create(const ResolverCall& call) {
  expect_args(call, 1, 1);
  return call.args[0];
}

Node select(const ResolverCall& call) {
  expect_args(call, 1, 2);
  const auto key = text_arg(call, 0);
  if (call.exists(key)) return call.select(key);
  return call.args.size() == 2 ? call.args[1] : Node();
}

/// The argument's map: the argument itself, or the map at the key that it names.
Node map_arg(const ResolverCall& call) {
  expect_args(call, 1, 1);
  Node node = call.args[0].is_map() ? call.args[0] : call.select(text_arg(call, 0));
  if (!node.is_map()) fail(call, "expected a map, found " + describe_value(node), "write " + call.signature);
  return node;
}

Node dict_keys(const ResolverCall& call) {
  const Node map = map_arg(call);
  Node out = Node::list();
  for (const auto& entry : map.as_map()) out.push_back(entry.first);
  return out;
}

Node dict_values(const ResolverCall& call) {
  const Node map = map_arg(call);
  Node out = Node::list();
  for (const auto& entry : map.as_map()) out.push_back(entry.second);
  return out;
}

Node deprecated(const ResolverCall& call) {
  expect_args(call, 1, 2);
  const auto key = text_arg(call, 0);
  Node value = call.select(key);
  std::string message = call.args.size() == 2 ? shortened(text_arg(call, 1)) : "'$OLD_KEY' is deprecated; use '$NEW_KEY'";
  for (const auto& [word, text] : {std::pair<std::string, std::string>{"$OLD_KEY", call.key}, {"$NEW_KEY", key}}) {
    for (auto at = message.find(word); at != std::string::npos; at = message.find(word, at + text.size())) {
      message.replace(at, word.size(), text);
    }
  }
  if (call.warn) call.warn(fmt::format("{}: {}", call.origin.describe(), message));
  return value;
}

Node now(const ResolverCall& call) {
  expect_args(call, 1, 1);
  static const std::time_t start = std::time(nullptr);  // the same for all jobs of a process
  std::tm local{};
  localtime_r(&start, &local);
  char buffer[256];
  const auto n = std::strftime(buffer, sizeof buffer, text_arg(call, 0).c_str(), &local);
  return Node(std::string(buffer, n));
}

const std::vector<ResolverEntry>& entries() {
  static const std::vector<ResolverEntry> kTable{
      {{"oc.env", "${oc.env:VARIABLE} or ${oc.env:VARIABLE,default}", "an environment variable, as text"}, env},
      {{"oc.select", "${oc.select:key} or ${oc.select:key,default}", "the value at a key; the default, else null, where there is none"},
       select},
      {{"oc.decode", "${oc.decode:text}", "the value that a text spells: 3 for '3', a list for '[1, ${a}]'"}, decode},
      {{"oc.create", "${oc.create:{key: value}}", "its argument: a list or map written in place"}, create},
      {{"oc.dict.keys", "${oc.dict.keys:path.to.map}", "the keys of a map, as a list"}, dict_keys},
      {{"oc.dict.values", "${oc.dict.values:path.to.map}", "the values of a map, as a list"}, dict_values},
      {{"oc.deprecated", "${oc.deprecated:new.key} or ${oc.deprecated:new.key,'message'}",
        "the value at another key, with a warning; $OLD_KEY and $NEW_KEY in the message are filled in"},
       deprecated},
      {{"now", "${now:%Y-%m-%d_%H-%M-%S}", "the time at which the program started, in strftime's letters"}, now}};
  return kTable;
}

}  // namespace

const ResolverEntry* find_resolver(const std::string& name) {
  for (const auto& entry : entries()) {
    if (entry.doc.name == name) return &entry;
  }
  return nullptr;
}

const std::vector<FunctionDoc>& interpolation_resolvers() {
  static const std::vector<FunctionDoc> kDocs = [] {
    std::vector<FunctionDoc> out;
    for (const auto& entry : entries()) out.push_back(entry.doc);
    return out;
  }();
  return kDocs;
}

}  // namespace yatlab
