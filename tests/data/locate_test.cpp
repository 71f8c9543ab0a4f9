#include "core/data/locate.h"

#include <fmt/format.h>

#include <cstdlib>

#include "catch.h"
#include "core/base/hash.h"
#include "core/data/catalog.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

Node entry(const std::string& file, const std::string& sum, const std::string& content = "", const std::vector<std::string>& urls = {}) {
  Node n = Node::map();
  n.set("file", file);
  if (!sum.empty()) n.set("sha256", sum);
  if (!content.empty()) n.set("content_sha256", content);
  Node list = Node::list();
  for (const auto& u : urls) list.push_back(u);
  n.set("urls", list);
  return n;
}

Node files(std::initializer_list<std::pair<std::string, Node>> entries) {
  Node n = Node::map();
  for (const auto& [key, value] : entries) n.set(key, value);
  return n;
}

// Quiet, and isolated from the machine.
struct QuietWorld {
  Scratch dir;
  std::vector<std::string> notices;
  DataContext context;
  QuietWorld() {
    context.root = dir / "data";
    context.search_path = {dir / "lab"};
    context.shared_path = {};
    context.notice = [this](const std::string& text) { notices.push_back(text); };
  }
};

}  // namespace

TEST_CASE("files are searched in the root then the search path then system folders", "[locate]") {
  QuietWorld w;
  const auto packed = gzip("content");
  const auto set = declare_files("d", files({{"a", entry("a.gz", sha256(packed))}}), {}, {(w.dir / "usr").string()});
  const std::vector<fs::path> folders = {w.dir / "data/d", w.dir / "data", w.dir / "lab/d", w.dir / "lab", w.dir / "usr"};
  CHECK(candidate_folders(set, w.context) == folders);
  CHECK(look_up(set.files[0], set, w.context).kind == FileState::kMissing);
  for (auto it = folders.rbegin(); it != folders.rend(); ++it) {
    put(*it / "a.gz", packed);
    const auto state = look_up(set.files[0], set, w.context);
    CHECK(state.kind == FileState::kPresent);
    CHECK(state.path == *it / "a.gz");
  }
  const auto found = locate(set, w.context);
  CHECK(found.missing.empty());
  CHECK(found.tier == "local");
  CHECK(found.paths.at("a") == w.dir / "data/d/a.gz");
  CHECK(w.notices.empty());
}

TEST_CASE("variables in the search path expand to folders", "[locate]") {
  QuietWorld w;
  CHECK(DataContext().shared_path == std::vector<fs::path>{"$YATLAB_DATA", "../shared/data"});
  w.context.search_path = {"$YATLAB_TEST_FOLDERS"};
  w.context.shared_path = {"/last"};
  const auto set = declare_files("d", Node::map());
  const auto only = [&](const std::vector<fs::path>& more) {
    auto all = candidate_folders(set, w.context);
    all.erase(all.begin(), all.begin() + 2);
    return all == more;
  };
  ::unsetenv("YATLAB_TEST_FOLDERS");
  CHECK(only({"/last/d", "/last"}));
  ::setenv("YATLAB_TEST_FOLDERS", "/one::/two", 1);
  CHECK(only({"/one/d", "/one", "/two/d", "/two", "/last/d", "/last"}));
  ::unsetenv("YATLAB_TEST_FOLDERS");
}

TEST_CASE("the content checksum accepts a file packed differently or not at all", "[locate]") {
  QuietWorld w;
  const std::string content = "the content";
  const auto set = declare_files("d", files({{"a", entry("a.gz", sha256("published"), sha256(content))}}));
  const auto& file = set.files[0];
  CHECK(file.identity() == sha256(content));
  put(w.dir / "lab/a.gz", gzip(content, 1));
  CHECK(look_up(file, set, w.context).kind == FileState::kPresent);
  put(w.dir / "lab/a.gz", gzip("other", 9));
  CHECK(look_up(file, set, w.context).why == fmt::format("expected content sha256 {}, found {}", sha256(content), sha256("other")));
  put(w.dir / "lab/a.gz", gzip(content).substr(0, 15));
  CHECK(look_up(file, set, w.context).why ==
        fmt::format("'{}' is truncated: its gzip stream is not complete after 15 bytes", (w.dir / "lab/a.gz").string()));
  fs::remove(w.dir / "lab/a.gz");
  put(w.dir / "lab/a", content);
  CHECK(look_up(file, set, w.context).path == w.dir / "lab/a");
}

TEST_CASE("a file with a wrong checksum is reported with both checksums and left alone", "[locate]") {
  QuietWorld w;
  put(w.dir / "source/a", "right");
  const auto set = declare_files("d", files({{"a", entry("a", sha256("right"), "", {"file://" + (w.dir / "source/a").string()})}}));
  put(w.dir / "lab/d/a", "wrong");
  const auto e = caught([&] { locate(set, w.context); });
  CHECK(e.kind() == ErrorKind::kData);
  CHECK(e.exit_code() == 3);
  CHECK(e.message() == fmt::format("'{}' is not the file declared by 'd'", (w.dir / "lab/d/a").string()));
  CHECK(e.why() == fmt::format("expected sha256 {}, found {}", sha256("right"), sha256("wrong")));
  CHECK(e.hint().find("it was not changed") == 0);
  CHECK(read_file(w.dir / "lab/d/a") == "wrong");
  CHECK_FALSE(fs::exists(w.dir / "data"));
  // A correct copy in another folder is used, and the wrong one is reported.
  put(w.dir / "lab/a", "right");
  CHECK(locate(set, w.context).paths.at("a") == w.dir / "lab/a");
  REQUIRE(w.notices.size() == 1);
  CHECK(w.notices[0].find("skipped a file with different content: " + (w.dir / "lab/d/a").string()) == 0);
}

TEST_CASE("missing files are downloaded into the data root and failures are reported", "[locate]") {
  QuietWorld w;
  put(w.dir / "mirror/a", "A");
  put(w.dir / "mirror/b", "B");
  put(w.dir / "lab/b", "B");
  const auto set = declare_files("d", files({{"a", entry("a", sha256("A"))}, {"b", entry("b", sha256("B"))}}),
                                 {"file:///nowhere", "file://" + (w.dir / "mirror").string() + "/"});
  CHECK(set.files[0].urls[0] == "file:///nowhere/a");
  const auto found = locate(set, w.context);
  CHECK(found.tier == "downloaded");
  CHECK(found.paths.at("a") == w.dir / "data/d/a");
  CHECK(found.paths.at("b") == w.dir / "lab/b");
  REQUIRE(w.notices.size() == 2);
  CHECK(w.notices[0] == fmt::format("d: downloading a to {}", (w.dir / "data/d").string()));
  CHECK(w.notices[1].find("a: file:///nowhere/a failed: ") == 0);
  CHECK(locate(set, w.context).tier == "local");

  const auto none = declare_files("e", files({{"a", entry("x", sha256("X"))}}), {"file:///nowhere"});
  const auto missing = locate(none, w.context);
  CHECK(missing.missing.find("cannot download 'x': file:///nowhere/x: ") == 0);
  const auto e = missing_error(none, w.context, missing.missing);
  CHECK(e.kind() == ErrorKind::kData);
  CHECK(e.message() == "the data set 'e' is not available");
  CHECK(e.where() == fmt::format("looked in {0}/data/e, {0}/data, {0}/lab/e, {0}/lab", w.dir.path().string()));
  CHECK(e.hint() == fmt::format("put x into '{}/data/e', or add the folder that contains them to data.search_path", w.dir.path().string()));
}

TEST_CASE("a mirror with other content leaves no file", "[locate]") {
  QuietWorld w;
  put(w.dir / "mirror/a", "tampered");
  const auto set = declare_files("d", files({{"a", entry("a", sha256("A"))}}), {"file://" + (w.dir / "mirror").string()});
  CHECK(locate(set, w.context).missing.find(fmt::format("expected sha256 {}, found {}", sha256("A"), sha256("tampered"))) !=
        std::string::npos);
  CHECK(fs::is_empty(w.dir / "data/d"));
}

TEST_CASE("declarations are checked, and errors name the key", "[locate]") {
  const auto message = [](const Node& n, const std::vector<std::string>& mirrors = {}) {
    const auto e = caught([&] { declare_files("d", n, mirrors); });
    CHECK(e.kind() == ErrorKind::kConfig);
    return e.message();
  };
  const auto sum = sha256("x");
  CHECK(message(files({{"a", entry("f", "")}})) == "'dataset.files.a' has no checksum");
  CHECK(message(files({{"a", entry("f", "abc")}})) == "'dataset.files.a.sha256' is not a SHA-256 sum");
  CHECK(message(files({{"a", entry("f", "", std::string(64, 'G'))}})) == "'dataset.files.a.content_sha256' is not a SHA-256 sum");
  for (const char* name : {"../f", "/f", "x/f", "", ".hidden", ".."}) {
    CHECK(message(files({{"a", entry(name, sum)}})) == fmt::format("'dataset.files.a.file' is not a plain file name: '{}'", name));
  }
  CHECK(message(files({{"a", entry("f", sum, "", {"https://ok", "ftp://x"})}})) == "'dataset.files.a.urls.1' is not a URL: ftp://x");
  CHECK(message(files({{"a", entry("f", sum)}}), {"gopher://x"}) == "'dataset.mirrors.0' is not a URL: gopher://x");
  CHECK(message(files({{"a", Node("f")}})) == "'dataset.files.a' must be a map, found f");
  Node typo = entry("f", sum);
  typo.set("sha265", "x");
  const auto e = caught([&] { declare_files("d", files({{"a", typo}})); });
  CHECK(e.message() == "unknown key 'dataset.files.a.sha265'");
  CHECK(e.hint() == "did you mean 'sha256'?");
  Node nameless = Node::map();
  nameless.set("sha256", sum);
  CHECK(message(files({{"a", nameless}})) == "'dataset.files.a.file' is required");
}

TEST_CASE("a data set's checksum depends on content but not on order or packing", "[locate]") {
  const auto one = declare_files("d", files({{"a", entry("a", sha256("A"))}, {"b", entry("b", sha256("z"), sha256("B"))}}));
  const auto two = declare_files("d", files({{"b", entry("b", "", sha256("B"))}, {"a", entry("a", "", sha256("A"))}}));
  CHECK(combined_sha256(one) == combined_sha256(two));
  CHECK(combined_sha256(one) != combined_sha256(declare_files("d", files({{"a", entry("a", sha256("A"))}}))));
}

TEST_CASE("the catalogue reports present, missing and wrong files", "[catalog]") {
  QuietWorld w;
  put(w.dir / "mirror/a", "A");
  put(w.dir / "mirror/b", "B");
  Node d = Node::map();
  d.set("name", "d");
  d.set("files", files({{"a", entry("a", sha256("A"))}, {"b", entry("b", sha256("B"))}}));
  Node mirrors = Node::list();
  mirrors.push_back("file://" + (w.dir / "mirror").string());
  d.set("mirrors", mirrors);
  d.set("substitute", "fake");
  put(w.dir / "lab/d/b", "B");
  auto status = dataset_status(d, w.context);
  CHECK_FALSE(status.complete());
  CHECK_FALSE(status.wrong());
  CHECK(status.name == "d");
  CHECK(status.summary() == "missing: a; substitute: fake");
  const auto e = caught([&] { verify_dataset(d, w.context); });
  CHECK(e.kind() == ErrorKind::kData);
  CHECK(e.message() == "'d' failed verification");
  CHECK(e.why() == "a: missing");

  const auto paths = fetch_dataset(d, w.context);
  CHECK(paths.at("a") == w.dir / "data/d/a");
  CHECK(paths.at("b") == w.dir / "lab/d/b");
  status = verify_dataset(d, w.context);
  CHECK(status.complete());
  CHECK(status.summary() == fmt::format("present in {0}/data/d, {0}/lab/d", w.dir.path().string()));

  put(w.dir / "data/d/a", "damaged");
  status = dataset_status(d, w.context);
  CHECK(status.wrong());
  CHECK(status.summary() == fmt::format("wrong: {}/data/d/a", w.dir.path().string()));
  CHECK(caught([&] { verify_dataset(d, w.context); }).why() ==
        fmt::format("{}/data/d/a: expected sha256 {}, found {}", w.dir.path().string(), sha256("A"), sha256("damaged")));
  CHECK(caught([&] { fetch_dataset(d, w.context); }).message() ==
        fmt::format("'{}/data/d/a' exists, but is not the expected file", w.dir.path().string()));
  CHECK(read_file(w.dir / "data/d/a") == "damaged");
  // A wrong copy in a folder that is only searched does not prevent fetching.
  fs::rename(w.dir / "data/d/a", w.dir / "lab/d/a");
  CHECK(fetch_dataset(d, w.context).at("a") == w.dir / "data/d/a");

  Node own = Node::map();
  own.set("name", "xor");
  CHECK(dataset_status(own, w.context).summary() == "part of Yatlab");
  CHECK(verify_dataset(own, w.context).complete());
  CHECK(fetch_dataset(own, w.context).empty());
}

TEST_CASE("files without a published checksum are called unauthenticated", "[locate][catalog]") {
  QuietWorld w;
  Node sized = Node::map(), dataset = Node::map();
  sized.set("file", "b");
  sized.set("bytes", 5);
  dataset.set("name", "d");
  dataset.set("files", files({{"a", entry("a", sha256("content"))}, {"b", sized}}));
  CHECK(dataset_status(dataset, w.context).summary() == "missing: a, b; unauthenticated: no checksum is published");
  put(w.dir / "lab/d/a", "content");
  put(w.dir / "lab/d/b", "bytes");
  const auto status = dataset_status(dataset, w.context);
  CHECK_FALSE(status.authenticated());
  CHECK(status.summary() == fmt::format("present in {}/lab/d; unauthenticated: no checksum is published", w.dir.path().string()));
  CHECK(locate(declare_files("d", dataset.at("files")), w.context).tier == "local, unauthenticated");
  // One checksum of any kind suffices.
  sized.set("git_blob", "00000000000000000000000000000000000000ab");
  CHECK(declare_files("d", files({{"b", sized}})).files[0].authenticated());
}

TEST_CASE("stale temporary files are removed from a data set's own folder only", "[locate][fetch]") {
  QuietWorld w;
  const auto set = declare_files("d", files({{"a", entry("a", sha256("content"))}, {"b", entry("b", sha256("more"))}}));
  for (const auto* folder : {"data/d", "lab/d"}) {
    put(w.dir / folder / "a", "content");
    put(w.dir / folder / ".a.part", "con");
    put(w.dir / folder / ".b.part", "mo");
    put(w.dir / folder / ".x.2147483647.0.tmp", "half");  // no process has that number
  }
  w.context.offline = true;
  CHECK_FALSE(locate(set, w.context).missing.empty());
  CHECK(entries_of(w.dir / "data/d") == std::vector<fs::path>{w.dir / "data/d/.b.part", w.dir / "data/d/a"});  // b's download can resume
  CHECK(entries_of(w.dir / "lab/d").size() == 4);
}
