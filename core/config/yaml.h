#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// Receives warnings about legal input that is probably a mistake. An empty sink drops them.
using WarningSink = std::function<void(const std::string&)>;

/// Reads one YAML document. Every node carries `source`:line:column (1-based; columns count
/// characters, not bytes). An empty document is null.
///
/// Plain scalars are typed as OmegaConf types them (`1e-3` float, `1_000` integer, `0x1F` 31,
/// `on` true, dates strings), with two exceptions that are warned about: `017` is decimal 17 (not
/// octal 15) and `12:30:45` stays a string (not 45045). Integers that do not fit 64 bits are floats. Keys are always
/// strings. Bools and numbers keep their spelling (Node::spelling).
///
/// Config errors: syntax, duplicate keys, keys that are not scalars, several documents, unknown
/// tags, text that is not UTF-8 or holds NUL characters, and input beyond core/config/limits.h: more than
/// 1 MB of text, aliases that expand to more than 500,000 values or 10 MB, 200 levels, 10,000 keys in one map.
Node parse_yaml(std::string_view text, const std::string& source, WarningSink warn = {});

/// `parse_yaml` of a file; origins show `path` as written.
Node load_yaml(const fs::path& path, WarningSink warn = {});

/// The value of one plain (unquoted) scalar. `warning` says how an ambiguous one was read.
Node type_plain_scalar(std::string_view text, std::string* warning = nullptr);

/// Block style, ending in a newline. `parse_yaml` returns an equal node: strings that would be
/// read as another type are quoted, floats keep their point or exponent. Values with a recorded spelling keep it.
std::string emit_yaml(const Node& node);

}  // namespace yatlab
