#pragma once

#include <string>
#include <string_view>

#include "core/base/node.h"
#include "core/config/yaml.h"

namespace yatlab {

/// Everything with `${...}` replaced by what it stands for; `\${` becomes a literal `${`. Values
/// that came from an interpolation keep the origin of the text that held it.
///
/// `${a.b}` and `${a[b]}` look from the root, `${.x}` beside the value, `${..x}` one map further
/// out; `${list.-1}` counts from the end; `${fn:args}` calls a resolver (`interpolation_resolvers`). Alone in its text an interpolation keeps its type and may be
/// a whole map; inside other text it becomes text.
///
/// Config errors: a cycle, a key that does not exist (with the nearest one), `???` reached through
/// an interpolation, an unknown resolver, bad syntax, what expands to more than core/config/limits.h allows. A `???` that nothing refers to stays.
/// `warn` hears of deprecated keys (`oc.deprecated`).
Node resolve(const Node& root, WarningSink warn = {});

/// What `resolve` gives `node` for: texts that hold a `${` have it escaped. For resolved values that are written where they are resolved again.
Node escape_interpolations(Node node);

/// The resolved value at `path` alone; other values need not be resolvable.
Node resolve_at(const Node& root, std::string_view path);

}  // namespace yatlab
