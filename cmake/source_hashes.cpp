// Writes, for every source that computes results, a hash of all the code that it uses, which is part of a job's identity (core/compose/identity.h),
// and the components of all packs (core/registry/packs.h).
//
//   yatlab_source_hashes ROOT HEADER PACKS_HEADER
//
// A source uses itself, its includes, the .cpp or .cu beside each included header and its CUDA body (cuda/X_cuda.cpp of X.h), and so on. For
// components named in it (create("dot")), it uses their sources too, and a plugin uses the .yaml beside it, which holds its texts. Only includes
// that compute are followed (kComputes): planning, display and storage of runs do not change a result. Comments and blanks do not count. HEADER is
// rewritten only when it changes.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/manifest.h"
#include "core/system/git.h"

namespace {

namespace fs = std::filesystem;

// core/base mainly for its seeds. Of reports, the code that computes values that are results themselves.
const std::vector<std::string> kComputes = {"core/base/",
                                            "core/ops/",
                                            "core/data/",
                                            "core/model/",
                                            "core/train/",
                                            "core/measure/",
                                            "plugins/",
                                            "core/verdict/evidence.",
                                            "core/verdict/statistics.",
                                            "core/figure/contour."};
// Folders of packs, and packs, that only display results or launch jobs.
const std::vector<std::string> kOnlyShow = {"/figures/", "/trackers/", "/launchers/", "/sweepers/", "/pruners/", "/commands/", "/wandb/"};

bool begins_with_one_of(const std::string& text, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const std::string& b) { return text.compare(0, b.size(), b) == 0; });
}
bool computes(const std::string& file) {
  const auto in = [&](const std::string& folder) { return file.find(folder) != std::string::npos; };
  return begins_with_one_of(file, kComputes) && std::none_of(kOnlyShow.begin(), kOnlyShow.end(), in);
}

/// YATLAB_REGISTER(Interface, Class, "name", "doc", {"alias", ...}), as it is written.
struct Registered {
  std::string interface, doc, aliases;
};

struct Source {
  std::string text;                             // without comments, blanks at the ends of lines, and empty lines
  std::vector<std::string> includes;            // "core/ops/yat.h", or "helper.h" beside it
  std::set<std::string> named;                  // string literals, those of parameters' defaults excepted: the config says these
  std::map<std::string, Registered> registers;  // components
};

std::string trimmed(const std::string& line) {
  std::size_t a = 0, b = line.size();
  while (a < b && std::isspace(static_cast<unsigned char>(line[a]))) ++a;
  while (b > a && std::isspace(static_cast<unsigned char>(line[b - 1]))) --b;
  return line.substr(a, b - a);
}

/// Comments become a blank; literals stay as they are.
std::string without_comments(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (text.compare(i, 2, "/*") == 0) {
      const auto end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 2;
      out += ' ';
    } else if (c == 'R' && text.compare(i, 2, "R\"") == 0 && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1])))) {
      const auto open = text.find('(', i);
      if (open == std::string::npos) return out + text.substr(i);
      const auto close = text.find(")" + text.substr(i + 2, open - i - 2) + "\"", open);
      const auto end = close == std::string::npos ? text.size() : close + (open - i - 2) + 2;
      out += text.substr(i, end - i);
      i = end;
    } else if (c == '"' || (c == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))) {  // 10'000 opens nothing
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      out += text.substr(i, end - i);
      i = end;
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

/// Adds the literals of a line that has no comments.
void collect_literals(const std::string& line, std::set<std::string>& into) {
  for (std::size_t at = line.find('"'); at != std::string::npos; at = line.find('"', at)) {
    const auto end = line.find('"', at + 1);
    if (end == std::string::npos) return;
    into.insert(line.substr(at + 1, end - at - 1));
    at = end + 1;
  }
}

Source read_source(const fs::path& path) {
  Source out;
  const std::string text = without_comments(yatlab::read_file(path));
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    out.text += line + "\n";
    if (line.rfind("#include \"", 0) == 0) {
      out.includes.push_back(line.substr(10, line.find('"', 10) - 10));
    } else if (line.find("ComponentRef") == std::string::npos) {
      collect_literals(line, out.named);
    }
  }
  return out;
}

/// What stands between the quotes of adjacent literals from `at` on, which moves behind them; of none: "".
std::string literals_at(const std::string& text, std::size_t& at) {
  const auto skip = [&] {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  };
  std::string out;
  for (skip(); at < text.size() && text[at] == '"'; skip()) {
    auto end = at + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    out += text.substr(at + 1, end - at - 1);
    at = end + 1;
  }
  return out;
}

/// By name, which may also be a constant of the file.
std::map<std::string, Registered> registered_names(const std::string& file, const std::string& text) {
  std::map<std::string, Registered> out;
  const std::string call = "YATLAB_REGISTER(";
  for (auto at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;  // within a literal: of a program that writes programs
    auto begin = text.find(',', text.find(',', at) + 1) + 1;
    while (begin < text.size() && std::isspace(static_cast<unsigned char>(text[begin]))) ++begin;
    std::set<std::string> name;
    if (text[begin] == '"') {
      collect_literals(text.substr(begin, text.find('"', begin + 1) + 1 - begin), name);
    } else {
      const auto constant = text.substr(begin, text.find(',', begin) - begin);
      for (const char* declared : {" = \"", "[] = \""}) {
        const auto value = text.find(constant + declared);
        if (value != std::string::npos) collect_literals(text.substr(value, text.find(';', value) - value), name);
      }
    }
    if (name.size() != 1) throw std::runtime_error(file + ": YATLAB_REGISTER must have a name in quotes, or a constant of the same file");
    auto& registered = out[*name.begin()];
    registered.interface = trimmed(text.substr(at + call.size(), text.find(',', at) - at - call.size()));
    begin = text.find(',', begin) + 1;
    registered.doc = literals_at(text, begin);
    if (begin < text.size() && text[begin] == ',') {
      begin = text.find('{', begin) + 1;
      for (auto alias = literals_at(text, begin); !alias.empty(); alias = literals_at(text, ++begin)) {
        registered.aliases += (registered.aliases.empty() ? "" : " ") + alias;
      }
    }
  }
  return out;
}

class Tree {
 public:
  explicit Tree(fs::path root) : root_(std::move(root)) {
    for (const char* folder : {"core", "plugins"}) {
      for (const auto& name : yatlab::files_below(root_ / folder)) {
        const auto file = std::string(folder) + "/" + name;
        const auto type = fs::path(file).extension();
        if (type != ".cpp" && type != ".h" && type != ".yaml" && type != ".cu" && type != ".cuh") continue;
        auto& source = sources_[file] = read_source(root_ / file);
        if (type == ".yaml") source.named.clear();  // words, not components
        if (type != ".yaml" && file.rfind("plugins/", 0) == 0) source.registers = registered_names(file, source.text);
      }
    }
    for (const auto& [file, source] : sources_) {
      if (!computes(file)) continue;
      for (const auto& [name, registered] : source.registers) registering_[name].insert(file);
    }
  }

  /// Files whose hashes are wanted: components, and kinds of jobs.
  std::vector<std::string> roots() const {
    std::vector<std::string> out;
    for (const auto& [file, source] : sources_) {
      const bool job = file.rfind("core/job/", 0) == 0 && file.size() > 8 && file.compare(file.size() - 8, 8, "_job.cpp") == 0;
      if (job || (computes(file) && !source.registers.empty())) out.push_back(file);
    }
    return out;
  }

  std::string hash_of(const std::string& root) const { return hash_of_texts(used_by(root)); }

  /// The components of packs, as the lines of an array of PackedComponent.
  std::string pack_index() const {
    std::map<std::string, std::pair<std::string, std::string>> kinds;  // interface -> name, doc
    for (const auto& [file, source] : sources_) {
      const std::string call = "YATLAB_KIND(";
      for (auto at = source.text.find("\n" + call); at != std::string::npos; at = source.text.find("\n" + call, at + 1)) {
        auto comma = source.text.find(',', at);
        const auto interface = source.text.substr(at + 1 + call.size(), comma - at - 1 - call.size());
        auto& kind = kinds[interface];
        kind.first = literals_at(source.text, ++comma);
        kind.second = literals_at(source.text, ++comma);
      }
    }
    std::string out;
    for (const auto& [file, source] : sources_) {
      for (const auto& [name, registered] : source.registers) {
        const auto pack = file.substr(8, file.find('/', 8) - 8);
        const auto& kind = kinds.at(registered.interface);
        const auto doc = registered.doc.empty() ? statement_of(file) : registered.doc;
        for (const auto& text : {pack, kind.first, kind.second, name, registered.aliases, doc, file})
          out += (out.empty() || out.back() == '\n' ? "    {\"" : ", \"") + text + "\"";
        out += ", \"" + parameters_of(file, pack) + "\"},\n";
      }
    }
    return out;
  }

 private:
  /// What the text beside a claim says that the paper states, ready for a literal.
  std::string statement_of(const std::string& file) const {
    const auto path = root_ / fs::path(file).replace_extension(".yaml");
    if (!fs::exists(path)) return {};
    const std::string text = yatlab::read_file(path), key = "\nstatement: ";
    auto at = text.find(key);
    if (at == std::string::npos) return {};
    at += key.size();
    std::string out;
    // The line, and the indented ones below it.
    for (bool first = true; at < text.size() && (first || text[at] == ' '); first = false) {
      const auto end = std::min(text.find('\n', at), text.size());
      const auto line = trimmed(text.substr(at, end - at));
      if (line != ">-") out += (out.empty() ? "" : " ") + line;
      at = end + 1;
    }
    const char quote = out.size() > 1 && out.front() == out.back() && (out[0] == '"' || out[0] == '\'') ? out[0] : '\0';
    if (quote) out = out.substr(1, out.size() - 2);
    std::string escaped;
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (quote == '\'' && out.compare(k, 2, "''") == 0) ++k;
      if (quote != '"' && (out[k] == '"' || out[k] == '\\')) escaped += '\\';
      escaped += out[k];
    }
    return escaped;
  }

  /// Names of the fields that a component's source declares, or one of the pack's that it uses, or what these include of core/.
  std::string parameters_of(const std::string& root, const std::string& pack) const {
    std::set<std::string> names, files{root};
    const auto used = used_by(root);
    for (const auto& file : used) {
      if (file.rfind("plugins/" + pack + "/", 0) != 0) continue;
      files.insert(file);
      for (const auto& include : sources_.at(file).includes) {
        files.insert(include);
        files.insert(fs::path(include).replace_extension(".cpp").string());
      }
    }
    for (const auto& file : files) {
      if (sources_.count(file) == 0) continue;
      const auto& text = sources_.at(file).text;
      for (const char* call : {".field(", ".choice(", ".component(", ".group(", ".map("}) {
        for (auto at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
          auto begin = text.find('(', at) + 1;
          if (const auto name = literals_at(text, begin); !name.empty()) names.insert(name);
        }
      }
    }
    std::string out;
    for (const auto& name : names) out += (out.empty() ? "" : " ") + name;
    return out;
  }

  std::set<std::string> used_by(const std::string& root) const {
    std::set<std::string> seen{root};
    std::vector<std::string> waiting{root};
    const auto visit = [&](const std::string& file) {
      if (sources_.count(file) && seen.insert(file).second) waiting.push_back(file);
    };
    while (!waiting.empty()) {
      const auto file = waiting.back();
      waiting.pop_back();
      const auto& source = sources_.at(file);
      for (const auto& written : source.includes) {
        const auto beside = (fs::path(file).parent_path() / written).lexically_normal().string();
        const auto include = sources_.count(beside) ? beside : written;
        if (!computes(include)) continue;
        visit(include);
        const fs::path header(include);
        visit(fs::path(header).replace_extension(".cpp").string());
        visit(fs::path(header).replace_extension(".cu").string());
        visit((header.parent_path() / "cuda" / (header.stem().string() + "_cuda.cpp")).string());
      }
      if (file.rfind("plugins/", 0) != 0) continue;
      visit(fs::path(file).replace_extension(".yaml").string());
      for (const auto& name : source.named) {
        const auto found = registering_.find(name);
        if (found == registering_.end()) continue;
        for (const auto& other : found->second) visit(other);
      }
    }
    return seen;
  }

 public:
  /// Of all there is: what stands for a component whose source is not among the roots.
  std::string hash_of_all() const {
    std::set<std::string> all;
    for (const auto& [file, source] : sources_) all.insert(file);
    return hash_of_texts(all);
  }

 private:
  std::string hash_of_texts(const std::set<std::string>& files) const {
    std::string all;
    for (const auto& file : files) all += file + "\n" + sources_.at(file).text + "\n";
    return yatlab::sha256(all).substr(0, 16);
  }

  fs::path root_;
  std::map<std::string, Source> sources_;
  std::map<std::string, std::set<std::string>> registering_;
};

}  // namespace

namespace {

/// Of the tree that is compiled, and no repository around it; "" where it is not one, or its owner is somebody else.
std::string revision_of(const fs::path& root, bool& changed) {
  if (!fs::exists(root / ".git")) return {};
  const auto revision = yatlab::git_answer(root, {"rev-parse", "HEAD"});
  changed = !revision.empty() && !yatlab::git_answer(root, {"status", "--porcelain"}).empty();
  return revision;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: yatlab_source_hashes ROOT HEADER PACKS_HEADER\n", stderr);
    return 2;
  }
  try {
    const Tree tree(argv[1]);
    std::string text = "#pragma once\n\nstatic constexpr const char* kAllSourcesHash = \"" + tree.hash_of_all() + "\";\n" +
                       "// {source, hash of the code that it uses}\nstatic constexpr const char* kSourceHashes[][2] = {\n";
    for (const auto& root : tree.roots()) text += "    {\"" + root + "\", \"" + tree.hash_of(root) + "\"},\n";
    text += "};\n";
    bool changed = false;
    const auto revision = revision_of(argv[1], changed);
    text += "static constexpr const char* kRevision = \"" + revision + "\";\n";
    text += std::string("static constexpr bool kRevisionChanged = ") + (changed ? "true" : "false") + ";\n";
    const auto write = [](const fs::path& header, const std::string& content) {
      if (!fs::exists(header) || yatlab::read_file(header) != content) yatlab::write_file_atomic(header, content);
    };
    write(argv[2], text);
    write(argv[3], "#pragma once\n\n#include \"core/registry/packs.h\"\n\nstatic constexpr yatlab::PackedComponent kPackIndex[] = {\n" +
                       tree.pack_index() + "};\n");
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
