#include "core/config/resolvers.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/override.h"
#include "core/config/scalar.h"

namespace yatlab {
namespace {

[[noreturn]] void fail(const ResolverCall& call, const std::string& what, const std::string& hint) {
  throw config_error(what, call.origin.describe(), fmt::format("'{}' needs it", call.key), hint);
}

void expect_args(const ResolverCall& call, std::size_t least, std::size_t most, const char* form) {
  if (call.args.size() >= least && call.args.size() <= most) return;
  fail(call, fmt::format("wrong number of arguments: {}", call.args.size()), fmt::format("write {}", form));
}

std::string text_arg(const ResolverCall& call, std::size_t i, const char* form) {
  const Node& arg = call.args[i];
  if (arg.is_map() || arg.is_list() || arg.is_null()) fail(call, fmt::format("argument {} must be a text", i + 1), fmt::format("write {}", form));
  return scalar_to_text(arg);
}

Node env(const ResolverCall& call) {
  const char* form = "${oc.env:VARIABLE} or ${oc.env:VARIABLE,default}";
  expect_args(call, 1, 2, form);
  const auto name = text_arg(call, 0, form);
  if (const char* value = std::getenv(name.c_str())) return Node(value);
  if (call.args.size() == 1) {
    fail(call, fmt::format("the environment variable '{}' is not set", name),
         fmt::format("export {0}=... or give a default: ${{oc.env:{0},default}}", name));
  }
  if (call.args[1].is_null()) return {};
  return Node(text_arg(call, 1, form));
}

Node decode(const ResolverCall& call) {
  const char* form = "${oc.decode:text}";
  expect_args(call, 1, 1, form);
  if (call.args[0].is_null()) return {};
  return parse_value(text_arg(call, 0, form), call.origin);
}

Node create(const ResolverCall& call) {
  expect_args(call, 1, 1, "${oc.create:{key: value}}");
  return call.args[0];
}

Node select(const ResolverCall& call) {
  const char* form = "${oc.select:key} or ${oc.select:key,default}";
  expect_args(call, 1, 2, form);
  const auto key = text_arg(call, 0, form);
  if (call.exists(key)) return call.select(key);
  return call.args.size() == 2 ? call.args[1] : Node();
}

/// The map that an argument is, or whose key it is.
Node map_arg(const ResolverCall& call, const char* form) {
  expect_args(call, 1, 1, form);
  Node node = call.args[0].is_map() ? call.args[0] : call.select(text_arg(call, 0, form));
  if (!node.is_map()) fail(call, "expected a map, found " + describe_value(node), fmt::format("write {}", form));
  return node;
}

Node dict_keys(const ResolverCall& call) {
  const Node map = map_arg(call, "${oc.dict.keys:path.to.map}");
  Node out = Node::list();
  for (const auto& entry : map.as_map()) out.push_back(entry.first);
  return out;
}

Node dict_values(const ResolverCall& call) {
  const Node map = map_arg(call, "${oc.dict.values:path.to.map}");
  Node out = Node::list();
  for (const auto& entry : map.as_map()) out.push_back(entry.second);
  return out;
}

Node deprecated(const ResolverCall& call) {
  const char* form = "${oc.deprecated:new.key} or ${oc.deprecated:new.key,'message'}";
  expect_args(call, 1, 2, form);
  const auto key = text_arg(call, 0, form);
  Node value = call.select(key);
  std::string message = call.args.size() == 2 ? text_arg(call, 1, form) : "'$OLD_KEY' is deprecated; use '$NEW_KEY'";
  for (const auto& [word, text] : {std::pair<std::string, std::string>{"$OLD_KEY", call.key}, {"$NEW_KEY", key}}) {
    for (auto at = message.find(word); at != std::string::npos; at = message.find(word, at + text.size())) {
      message.replace(at, word.size(), text);
    }
  }
  if (call.warn) call.warn(fmt::format("{}: {}", call.origin.describe(), message));
  return value;
}

Node now(const ResolverCall& call) {
  const char* form = "${now:%Y-%m-%d_%H-%M-%S}";
  expect_args(call, 1, 1, form);
  static const std::time_t start = std::time(nullptr);  // the same for all jobs of a process
  std::tm local{};
  localtime_r(&start, &local);
  char buffer[256];
  const auto n = std::strftime(buffer, sizeof buffer, text_arg(call, 0, form).c_str(), &local);
  return Node(std::string(buffer, n));
}

struct Table {
  std::mutex mutex;
  std::map<std::string, Resolver> resolvers{
      {"oc.env", env},           {"oc.decode", decode},           {"oc.create", create},         {"oc.select", select},
      {"oc.dict.keys", dict_keys}, {"oc.dict.values", dict_values}, {"oc.deprecated", deprecated}, {"now", now}};
};
Table& table() {
  static Table instance;
  return instance;
}

}  // namespace

void register_resolver(const std::string& name, Resolver resolver) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  table().resolvers[name] = std::move(resolver);
}

Resolver find_resolver(const std::string& name) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  const auto it = table().resolvers.find(name);
  return it == table().resolvers.end() ? Resolver() : it->second;
}

std::vector<std::string> resolver_names() {
  const std::lock_guard<std::mutex> lock(table().mutex);
  std::vector<std::string> out;
  for (const auto& entry : table().resolvers) out.push_back(entry.first);
  return out;
}

}  // namespace yatlab
