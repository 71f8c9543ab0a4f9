#include "core/data/locate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/data/byte_stream.h"
#include "core/data/fetch.h"
#include "core/data/git_blob.h"
#include "core/data/token_shard.h"
#include "core/registry/fields.h"

namespace yatlab {
namespace {

// The keys of one entry of `files:`.
struct FileEntry {
  std::string file, sha256, content_sha256, git_blob;
  std::int64_t bytes = 0;
  std::vector<std::string> urls;
  static void declare(Fields& f, FileEntry& p) {
    f.field("file", p.file, "file name").required();
    f.field("sha256", p.sha256, "SHA-256 sum of the published file");
    f.field("content_sha256", p.content_sha256, "SHA-256 sum of the unpacked bytes");
    f.field("git_blob", p.git_blob, "output of 'git hash-object FILE', if no sha256 is published");
    f.field("bytes", p.bytes, "file size in bytes: a longer download is stopped; the only check if no checksum is published")
        .range(0, 1e15);
    f.field("urls", p.urls, "URLs to download it from, tried in order");
  }
};

void check_sum(const std::string& sum, const Node& node, const std::string& path, std::size_t digits = 64) {
  const bool hex =
      std::all_of(sum.begin(), sum.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) || (c >= 'a' && c <= 'f'); });
  if (!sum.empty() && (sum.size() != digits || !hex)) {
    const bool git = digits == 40;
    throw config_error(fmt::format("'{}' is not a {}", path, git ? "git blob id" : "SHA-256 sum"), node.origin().describe(),
                       fmt::format("it must have {} lower-case hexadecimal digits", digits),
                       git ? "git hash-object FILE prints it" : "sha256sum FILE prints it");
  }
}

void check_url(const std::string& url, const Node& node, const std::string& path) {
  for (const char* scheme : {"https://", "http://", "file://"}) {
    if (url.rfind(scheme, 0) == 0) return;
  }
  throw config_error(fmt::format("'{}' is not a URL: {}", path, url), node.origin().describe(),
                     "it must begin with https://, http:// or file://");
}

// `name` and, if the content alone is checked, `name` without its ".gz".
std::vector<std::string> names_of(const DataFile& file) {
  std::vector<std::string> out = {file.file};
  constexpr std::string_view kGz = ".gz";
  if (!file.content_sha256.empty() && file.file.size() > kGz.size() &&
      file.file.compare(file.file.size() - kGz.size(), kGz.size(), kGz) == 0) {
    out.push_back(file.file.substr(0, file.file.size() - kGz.size()));
  }
  return out;
}

fs::path home_of(const FileSet& set, const DataContext& context) { return context.root / (set.folder.empty() ? set.dataset : set.folder); }

fs::path fetch_one(const DataFile& file, const FileSet& set, const DataContext& context) {
  const auto target = home_of(set, context) / file.file;
  FetchOptions options;
  options.offline = context.offline;
  options.stop = context.stop;
  if (file.bytes > 0) options.most_bytes = file.bytes;
  options.verify = [&](const fs::path& path) { return verify_file(path, file); };
  options.notice = [&](const std::string& text) { tell(context, text); };
  if (context.progress) {
    options.progress = [&](std::int64_t bytes, std::int64_t total) { context.progress(file.file, bytes, total); };
  }
  fetch_file(file.urls, target, options);
  return target;
}

}  // namespace

FileSet declare_files(const std::string& dataset, const Node& files, const std::vector<std::string>& mirrors,
                      const std::vector<std::string>& system_paths, const std::string& path, const std::string& folder) {
  FileSet set;
  set.dataset = dataset;
  set.folder = folder.empty() ? dataset : folder;
  if (set.folder != safe_file_name(set.folder)) {
    throw config_error(fmt::format("'{}.folder' is not a plain folder name: '{}'", path, folder), files.origin().describe(),
                       "it is searched for in data.root and data.search_path");
  }
  for (const auto& p : system_paths) set.system_paths.emplace_back(p);
  for (std::size_t i = 0; i < mirrors.size(); ++i) {
    check_url(mirrors[i], files, fmt::format("{}.mirrors.{}", path, i));
  }
  for (const auto& [key, node] : files.as_map()) {
    const auto here = fmt::format("{}.files.{}", path, key);
    const auto entry = read_checked<FileEntry>(node, here);
    if (entry.file.empty() || entry.file != safe_file_name(entry.file) || entry.file.front() == '.') {
      throw config_error(fmt::format("'{}.file' is not a plain file name: '{}'", here, entry.file), node.origin().describe(),
                         "it is searched for in data.root and data.search_path");
    }
    check_sum(entry.sha256, node, here + ".sha256");
    check_sum(entry.content_sha256, node, here + ".content_sha256");
    check_sum(entry.git_blob, node, here + ".git_blob", 40);
    if (entry.sha256.empty() && entry.content_sha256.empty() && entry.git_blob.empty() && entry.bytes == 0) {
      throw config_error(fmt::format("'{}' has no checksum", here), node.origin().describe(),
                         "without one, a wrong file cannot be detected", "give sha256, or content_sha256 (of the decompressed bytes)");
    }
    DataFile file{key, entry.file, entry.sha256, entry.content_sha256, entry.git_blob, entry.urls, entry.bytes};
    for (std::size_t i = 0; i < entry.urls.size(); ++i) {
      check_url(entry.urls[i], node, fmt::format("{}.urls.{}", here, i));
    }
    for (const auto& mirror : mirrors) {
      file.urls.push_back(mirror + (mirror.back() == '/' ? "" : "/") + entry.file);
    }
    set.files.push_back(std::move(file));
  }
  return set;
}

namespace {

std::string verify_size(const fs::path& path, const DataFile& file) {
  const auto size = static_cast<std::int64_t>(size_of_file(path));
  if (size != file.bytes) return fmt::format("expected {} bytes, found {}", file.bytes, size);
  if (fs::path(file.file).extension() != ".bin") return "";
  try {
    TokenShard::open(path);
  } catch (const Error& e) {
    return e.why();
  }
  return "";
}

}  // namespace

std::string verify_file(const std::filesystem::path& path, const DataFile& file) {
  if (file.identity().empty()) return verify_size(path, file);
  std::string found;
  if (!file.sha256.empty()) {
    found = sha256_file(path);
    if (found == file.sha256) return "";
  }
  if (!file.git_blob.empty()) {
    const auto blob = git_blob_id(path);
    if (blob == file.git_blob) return "";
    if (file.sha256.empty() && file.content_sha256.empty()) {
      return fmt::format("expected git blob {}, found {}", file.git_blob, blob);
    }
  }
  if (file.content_sha256.empty()) return fmt::format("expected sha256 {}, found {}", file.sha256, found);
  std::string content;
  try {
    content = sha256_unpacked(path);
  } catch (const Error& e) {
    return e.message() + (e.why().empty() ? "" : ": " + e.why());
  }
  if (content == file.content_sha256) return "";
  return fmt::format("expected content sha256 {}, found {}", file.content_sha256, content);
}

std::vector<fs::path> candidate_folders(const FileSet& set, const DataContext& context) {
  std::vector<fs::path> out;
  const auto add = [&](const fs::path& folder) {
    const auto clean = folder.lexically_normal();
    if (!clean.empty() && std::find(out.begin(), out.end(), clean) == out.end()) out.push_back(clean);
  };
  const auto add_both = [&](const fs::path& folder) {
    add(folder / (set.folder.empty() ? set.dataset : set.folder));
    add(folder);
  };
  add_both(context.root);
  auto searched = context.search_path;
  searched.insert(searched.end(), context.shared_path.begin(), context.shared_path.end());
  for (const auto& entry : searched) {
    const auto text = entry.string();
    if (text.size() > 1 && text.front() == '$') {
      const char* value = std::getenv(text.c_str() + 1);
      for (const auto& part : split(value ? value : "", ':')) {
        if (!part.empty()) add_both(part);
      }
    } else if (!text.empty()) {
      add_both(entry);
    }
  }
  for (const auto& folder : set.system_paths) add(folder);
  return out;
}

FileState look_up(const DataFile& file, const FileSet& set, const DataContext& context) {
  FileState state;
  state.declared = file;
  for (const auto& folder : candidate_folders(set, context)) {
    for (const auto& name : names_of(file)) {
      const auto path = folder / name;
      std::error_code ec;
      if (!fs::is_regular_file(path, ec)) continue;
      const auto why = verify_file(path, file);
      if (why.empty()) {
        state.kind = FileState::kPresent;
        state.path = path;
        state.why.clear();
        return state;
      }
      if (state.kind == FileState::kMissing) {
        state.kind = FileState::kWrong;
        state.path = path;
        state.why = why;
      }
      state.wrong.push_back(fmt::format("{}: {}", path.string(), why));
    }
  }
  return state;
}

namespace {

/// Removes leftovers of dead processes from the set's own folder: unfinished files, and partial downloads that others have finished.
void sweep(const FileSet& set, const DataContext& context) {
  const auto home = home_of(set, context);
  std::error_code none;
  if (!fs::is_directory(home, none)) return;
  remove_stale_temporaries(home);
  for (const auto& file : set.files) {
    if (fs::exists(home / file.file, none)) remove_unused_part(home / file.file);
  }
}

}  // namespace

Located locate(const FileSet& set, const DataContext& context) {
  sweep(set, context);
  Located out;
  out.tier = "local";
  std::vector<DataFile> absent;
  for (const auto& file : set.files) {
    const auto state = look_up(file, set, context);
    if (state.kind == FileState::kPresent) {
      for (const auto& wrong : state.wrong) tell(context, fmt::format("skipped a file with different content: {}", wrong));
      out.paths[file.key] = state.path;
    } else if (state.kind == FileState::kWrong) {
      throw data_error(fmt::format("'{}' is not the file declared by '{}'", state.path.string(), set.dataset), {}, state.why,
                       fmt::format("it was not changed; move it away (if it belongs to a different data set, into its own folder), then "
                                   "run 'yatlab data fetch {}'",
                                   set.dataset));
    } else {
      absent.push_back(file);
    }
  }
  for (const auto& file : absent) {
    try {
      if (!context.offline) {
        tell(context, fmt::format("{}: downloading {} to {}", set.dataset, file.file, home_of(set, context).string()));
      }
      out.paths[file.key] = fetch_one(file, set, context);
      out.tier = "downloaded";
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::kData) throw;
      // The others would probably fail in the same way, each after its time-outs.
      out.missing = fmt::format("{}: {}", e.message(), e.why());
      return out;
    }
  }
  if (!std::all_of(set.files.begin(), set.files.end(), [](const DataFile& f) { return f.authenticated(); }))
    out.tier += ", unauthenticated";
  return out;
}

Error missing_error(const FileSet& set, const DataContext& context, const std::string& why) {
  std::vector<std::string> folders;
  for (const auto& folder : candidate_folders(set, context)) folders.push_back(folder.string());
  std::vector<std::string> names;
  for (const auto& file : set.files) names.push_back(file.file);
  return data_error(fmt::format("the data set '{}' is not available", set.dataset), "looked in " + join(folders, ", "), why,
                    fmt::format("put {} into '{}', or add the folder that contains them to data.search_path", join(names, ", "),
                                home_of(set, context).string()));
}

std::map<std::string, fs::path> fetch_files(const FileSet& set, const DataContext& context) {
  sweep(set, context);
  std::map<std::string, fs::path> out;
  for (const auto& file : set.files) {
    const auto state = look_up(file, set, context);
    out[file.key] = state.kind == FileState::kPresent ? state.path : fetch_one(file, set, context);
  }
  return out;
}

std::string combined_sha256(const FileSet& set) {
  std::vector<std::string> sums;
  for (const auto& file : set.files) sums.push_back(file.identity());
  std::sort(sums.begin(), sums.end());
  return sha256(join(sums, "\n"));
}

void tell(const DataContext& context, const std::string& message) {
  const auto text = visible_lines(message);  // it may quote data
  if (context.notice) {
    context.notice(text);
  } else {
    say_error("{}\n", text);
  }
}

}  // namespace yatlab
