#include "core/record/run_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/system/file_lock.h"

namespace yatlab {
namespace {

constexpr const char* kNotes = "notes.yaml";

std::string why_no_tag(const std::string& tag) {
  if (tag.empty()) return "it is empty";
  if (tag.size() > 60) return "it has more than 60 bytes";
  for (const char c : tag) {
    const auto u = static_cast<unsigned char>(c);
    if (!std::isalnum(u) && u < 0x80 && c != '_' && c != '-' && c != '.')
      return fmt::format("it contains {}", std::isprint(u) ? fmt::format("'{}'", c) : "a control character");
  }
  return tag.front() == '-' || tag.front() == '.' ? fmt::format("it begins with '{}'", tag.front()) : std::string();
}

}  // namespace

void require_tag(const std::string& tag) {
  if (const auto why = why_no_tag(tag); !why.empty()) {
    throw config_error(fmt::format("'{}' cannot be a tag", shortened(tag)), "command line", why,
                       "use letters, digits, '_', '-' and '.': best, for-paper");
  }
}

RunNotes read_notes(const fs::path& run) {
  const fs::path path = run / kNotes;
  if (!is_there(path)) return {};
  const auto bad = [&](const std::string& why) {
    return data_error("cannot read the notes of a run", path.string(), why,
                      "fix the file, or remove it: it must contain {tags: [...], note: ...}");
  };
  try {
    const Node node = load_yaml(path);
    if (!node.is_map()) throw bad("it does not contain a map");
    RunNotes out;
    for (const auto& [key, value] : node.as_map()) {
      if (key == "tags") {
        if (!value.is_list()) throw bad("'tags' is not a list");
        for (const auto& tag : value.as_list()) {
          const auto text = tag.is_string() ? tag.as_string() : tag.to_flow();
          if (const auto why = why_no_tag(text); !why.empty()) throw bad(fmt::format("'{}' is not a tag: {}", shortened(text), why));
          out.tags.push_back(text);
        }
      } else if (key == "note") {
        out.note = value.is_string() ? value.as_string() : value.to_flow();
      }
    }
    std::sort(out.tags.begin(), out.tags.end());
    out.tags.erase(std::unique(out.tags.begin(), out.tags.end()), out.tags.end());
    return out;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kConfig) throw bad(e.what());
    throw;
  }
}

RunNotes change_notes(const fs::path& run, const std::function<void(RunNotes&)>& change) {
  const auto alone = open_to_read(run);
  wait_for_lock(alone.get());
  auto notes = read_notes(run);
  const auto before = notes;
  change(notes);
  std::sort(notes.tags.begin(), notes.tags.end());
  notes.tags.erase(std::unique(notes.tags.begin(), notes.tags.end()), notes.tags.end());
  if (notes == before) return notes;
  if (notes.tags.empty() && notes.note.empty()) {
    remove_tree(run / kNotes);
    return notes;
  }
  Node tags = Node::list(), node = Node::map();
  for (const auto& tag : notes.tags) tags.push_back(tag);
  node.set("tags", tags);
  node.set("note", notes.note);
  const auto text = emit_yaml(node);
  try {
    parse_yaml(text, kNotes);
  } catch (const Error& e) {
    throw config_error("the note cannot be saved", "command line", e.why().empty() ? e.message() : e.why(), "a note must be UTF-8 text");
  }
  write_file_atomic(run / kNotes, text);
  return notes;
}

}  // namespace yatlab
