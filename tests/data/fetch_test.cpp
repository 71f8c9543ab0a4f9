#include "core/data/fetch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "catch.h"
#include "core/base/file_calls.h"
#include "core/base/hash.h"
#include "core/system/file_lock.h"
#include "data/fixtures.h"
#include "data/http_server.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

FetchOptions wanting(const std::string& bytes) {
  FetchOptions o;
  o.sha256 = sha256(bytes);
  o.connect_seconds = 5;
  o.stall_seconds = 5;
  return o;
}

/// Accepts this many bytes and no more.
class FullDisk final : public FileCalls {
 public:
  explicit FullDisk(std::size_t room) : room_(room) {}
  ssize_t write_at(int fd, const void* bytes, std::size_t size, off_t at) override {
    const auto n = std::min(size, room_);
    room_ -= n;
    errno = ENOSPC;
    return n == 0 ? -1 : FileCalls::write_at(fd, bytes, n, at);
  }

 private:
  std::size_t room_;
};

// The names in a folder, hidden ones too.
std::vector<std::string> names(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& e : fs::directory_iterator(folder)) out.push_back(e.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("a file is fetched, checked and placed; nothing else stays", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(300000);
  server.page("/a").body = bytes;
  put(dir / "source" / "a", bytes);
  for (const auto& url : {server.url("/a"), "file://" + (dir / "source" / "a").string()}) {
    const Scratch target;
    auto options = wanting(bytes);
    std::int64_t last = 0, total = 0;
    options.progress = [&](std::int64_t now, std::int64_t all) {
      CHECK(now >= last);
      last = now;
      total = all;
    };
    fetch_file({url}, target / "deep" / "a", options);
    CHECK(read_file(target / "deep" / "a") == bytes);
    CHECK(names(target / "deep") == std::vector<std::string>{"a"});
    CHECK(last == 300000);
    CHECK(total == 300000);
    if (url[0] == 'h') CHECK(holds(server.last_header(), "User-Agent: yatlab\r\n"));  // some servers refuse clients without a name
  }
  // An existing file is not requested again.
  const auto before = server.requests().size();
  fetch_file({server.url("/a")}, dir / "source" / "a", wanting(bytes));
  CHECK(server.requests().size() == before);
}

TEST_CASE("mirrors are tried in order and each failure is reported", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(1000);
  server.page("/bad").body = noise(1000, 7);
  server.page("/good").body = bytes;
  auto options = wanting(bytes);
  std::vector<std::string> notices;
  options.notice = [&](const std::string& n) { notices.push_back(n); };
  fetch_file({server.url("/none"), "file:///nowhere/a", server.url("/bad"), server.url("/good")}, dir / "a", options);
  CHECK(read_file(dir / "a") == bytes);
  CHECK(server.requests() == std::vector<std::string>{"GET /none", "GET /bad", "GET /good"});
  REQUIRE(notices.size() == 3);
  CHECK(notices[0].find("404") != std::string::npos);
  CHECK(notices[1].find("file:///nowhere/a failed: ") != std::string::npos);
  CHECK(notices[2] == fmt::format("a: {} failed: sha256 is {} instead of {}", server.url("/bad"), sha256(noise(1000, 7)), sha256(bytes)));
}

TEST_CASE("if every mirror fails the error lists all failures and no file appears", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  server.page("/bad").body = "other";
  const auto e = caught([&] { fetch_file({server.url("/none"), server.url("/bad")}, dir / "a", wanting("x")); });
  CHECK(e.kind() == ErrorKind::kData);
  CHECK(e.message() == "cannot download 'a'");
  CHECK(e.why().find(server.url("/none") + ": The requested URL returned error: 404; ") == 0);
  CHECK(e.why().find(server.url("/bad") + ": sha256 is ") != std::string::npos);
  CHECK(names(dir.path()).empty());
  CHECK(caught([&] { fetch_file({}, dir / "a", wanting("x")); }).why() == "no URL is declared for it");
}

TEST_CASE("a broken connection is resumed where it stopped", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(100000);
  auto& page = server.page("/a");
  page.body = bytes;
  page.cut_after = 40000;
  fetch_file({server.url("/a")}, dir / "a", wanting(bytes));
  CHECK(read_file(dir / "a") == bytes);
  CHECK(server.requests() == std::vector<std::string>{"GET /a", "GET /a from 40000", "GET /a from 80000"});
}

TEST_CASE("an interrupted download keeps its partial file and resumes later", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(100000);
  server.page("/a").body = bytes;
  server.page("/a").cut_after = 30000;
  auto options = wanting(bytes);
  options.attempts = 1;
  CHECK(caught([&] { fetch_file({server.url("/a")}, dir / "a", options); }).kind() == ErrorKind::kData);
  CHECK(names(dir.path()) == std::vector<std::string>{".a.part"});
  CHECK(fs::file_size(dir / ".a.part") == 30000);
  server.page("/a").cut_after = SIZE_MAX;
  std::int64_t last = 0, total = 0;
  options.progress = [&](std::int64_t now, std::int64_t all) { last = now, total = all; };
  fetch_file({server.url("/a")}, dir / "a", options);
  CHECK(server.requests().back() == "GET /a from 30000");
  CHECK(read_file(dir / "a") == bytes);
  CHECK(last == 100000);
  CHECK(total == 100000);
  CHECK(names(dir.path()) == std::vector<std::string>{"a"});
}

TEST_CASE("downloads resume from file URLs too", "[fetch]") {
  const Scratch dir;
  const auto bytes = noise(5000);
  put(dir / "s" / "a", bytes);
  put(dir / ".a.part", bytes.substr(0, 1234));
  fetch_file({"file://" + (dir / "s" / "a").string()}, dir / "a", wanting(bytes));
  CHECK(read_file(dir / "a") == bytes);
}

TEST_CASE("a partial file that does not match is discarded", "[fetch]") {
  const auto bytes = noise(5000);
  HttpServer server;
  server.page("/a").body = bytes;
  server.page("/no-ranges").body = bytes;
  server.page("/no-ranges").ranges = false;
  const Scratch source;
  put(source / "a", bytes);
  const auto other = noise(9000, 3);
  for (const auto& url : {server.url("/a"), server.url("/no-ranges"), "file://" + (source / "a").string()}) {
    // Parts of another file of the same name: shorter, as long as the file, longer.
    for (const auto& part : {other.substr(0, 100), other.substr(0, 5000), other}) {
      CAPTURE(url, part.size());
      const Scratch dir;
      put(dir / ".a.part", part);
      fetch_file({url}, dir / "a", wanting(bytes));
      CHECK(read_file(dir / "a") == bytes);
      CHECK(names(dir.path()) == std::vector<std::string>{"a"});
    }
  }
  // A complete file that only needs renaming requires no server.
  const Scratch dir;
  put(dir / ".a.part", bytes);
  const auto before = server.requests().size();
  fetch_file({server.url("/a")}, dir / "a", wanting(bytes));
  CHECK(server.requests().size() == before);
  CHECK(read_file(dir / "a") == bytes);
}

TEST_CASE("an exception from the progress callback keeps the bytes and is passed on", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(4000000);
  server.page("/a").body = bytes;
  auto options = wanting(bytes);
  options.progress = [](std::int64_t now, std::int64_t) {
    if (now > 0) throw std::runtime_error("interrupted");
  };
  CHECK_THROWS_WITH(fetch_file({server.url("/a")}, dir / "a", options), "interrupted");
  CHECK(names(dir.path()) == std::vector<std::string>{".a.part"});
  options.progress = nullptr;
  fetch_file({server.url("/a")}, dir / "a", options);
  CHECK(read_file(dir / "a") == bytes);
}

TEST_CASE("redirects are followed to the web but not to local files", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  put(dir / "secret", "secret");
  server.page("/a").body = "bytes";
  server.page("/moved").status = 302;
  server.page("/moved").location = "/a";
  server.page("/evil").status = 302;
  server.page("/evil").location = "file://" + (dir / "secret").string();
  fetch_file({server.url("/moved")}, dir / "a", wanting("bytes"));
  CHECK(read_file(dir / "a") == "bytes");
  CHECK(caught([&] { fetch_file({server.url("/evil")}, dir / "b", wanting("secret")); }).message() == "cannot download 'b'");
}

TEST_CASE("offline mode makes no requests", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  server.page("/a").body = "bytes";
  auto options = wanting("bytes");
  options.offline = true;
  const auto e = caught([&] { fetch_file({server.url("/a")}, dir / "a", options); });
  CHECK(e.why() == server.url("/a") + ": not tried: offline");
  CHECK(server.requests().empty());
  put(dir / "s", "bytes");
  fetch_file({server.url("/a"), "file://" + (dir / "s").string()}, dir / "a", options);
  CHECK(read_file(dir / "a") == "bytes");
}

TEST_CASE("an existing file with other content is reported and left alone", "[fetch]") {
  const Scratch dir;
  put(dir / "a", "mine");
  put(dir / "s", "bytes");
  const auto e = caught([&] { fetch_file({"file://" + (dir / "s").string()}, dir / "a", wanting("bytes")); });
  CHECK(e.message() == fmt::format("'{}' exists, but is not the expected file", (dir / "a").string()));
  CHECK(e.why() == fmt::format("sha256 is {} instead of {}", sha256("mine"), sha256("bytes")));
  CHECK(read_file(dir / "a") == "mine");
  CHECK(names(dir.path()) == std::vector<std::string>{"a", "s"});
}

TEST_CASE("concurrent fetches download a file once", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(200000);
  server.page("/a").body = bytes;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { fetch_file({server.url("/a")}, dir / "a", wanting(bytes)); });
  }
  for (auto& t : threads) t.join();
  CHECK(read_file(dir / "a") == bytes);
  CHECK(server.requests().size() == 1);
  CHECK(names(dir.path()) == std::vector<std::string>{"a"});
}

TEST_CASE("an uncreatable folder is a file error but not offline", "[fetch]") {
  const Scratch dir;
  put(dir / "file", "");
  auto options = wanting("x");
  const auto e = caught([&] { fetch_file({"file:///x"}, dir / "file" / "a", options); });
  CHECK(e.kind() == ErrorKind::kFile);
  CHECK(e.message() == fmt::format("cannot create folder '{}'", (dir / "file").string()));
  CHECK(e.hint() == "choose a different folder with data.root=...");
  options.offline = true;
  CHECK(caught([&] { fetch_file({"http://127.0.0.1:9/x"}, dir / "file" / "a", options); }).kind() == ErrorKind::kData);
  CHECK(names(dir.path()) == std::vector<std::string>{"file"});
}

TEST_CASE("stopping does not wait for a server and keeps the received bytes", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(100000);
  auto& page = server.page("/a");
  page.body = bytes;
  page.cut_after = 30000;
  page.hangs = true;
  auto options = wanting(bytes);
  options.stall_seconds = 60;
  options.stop = [&] {
    std::error_code none;
    return fs::file_size(dir / ".a.part", none) == 30000;
  };
  const auto begin = std::chrono::steady_clock::now();
  const auto e = caught([&] { fetch_file({server.url("/a"), server.url("/b")}, dir / "a", options); });
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(e.kind() == ErrorKind::kFile);  // not a data error, so no substitute is used
  CHECK(e.message() == "the download of 'a' was stopped");
  CHECK(server.requests() == std::vector<std::string>{"GET /a"});
  page.cut_after = SIZE_MAX;
  page.hangs = false;
  // A process that waits for another one is also subject to the limit.
  const int holder = ::open((dir / ".a.part").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(try_lock(holder));
  CHECK(caught([&] { fetch_file({server.url("/a")}, dir / "a", options); }).message() == "the download of 'a' was stopped");
  ::close(holder);
  options.stop = [] { return false; };
  fetch_file({server.url("/a")}, dir / "a", options);
  CHECK(server.requests().back() == "GET /a from 30000");
  CHECK(read_file(dir / "a") == bytes);
}

TEST_CASE("a stalled server is left for the next mirror", "[fetch]") {
  const Scratch dir;
  HttpServer stalls, server;
  const auto bytes = noise(50000);
  stalls.page("/a").body = bytes;
  stalls.page("/a").cut_after = 20000;
  stalls.page("/a").hangs = true;
  server.page("/a").body = bytes;
  auto options = wanting(bytes);
  options.stall_seconds = 1;
  std::vector<std::string> notices;
  options.notice = [&](const std::string& n) { notices.push_back(n); };
  fetch_file({stalls.url("/a"), server.url("/a")}, dir / "a", options);
  CHECK(read_file(dir / "a") == bytes);
  CHECK(server.requests() == std::vector<std::string>{"GET /a from 20000"});
  REQUIRE(notices.size() == 2);
  CHECK(notices[0].find("too slow") != std::string::npos);
}

TEST_CASE("a server that does not accept the connection is left for the next mirror", "[fetch]") {
  // Its queue is full: the kernel answers no further connection request.
  const int silent = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(silent, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(silent, 0) == 0);
  REQUIRE(::getsockname(silent, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  std::vector<int> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::connect(waiting.back(), reinterpret_cast<const sockaddr*>(&address), size);
  }
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(5000);
  server.page("/a").body = bytes;
  auto options = wanting(bytes);
  options.connect_seconds = 1;
  options.stall_seconds = 60;
  const auto begin = std::chrono::steady_clock::now();
  fetch_file({fmt::format("http://127.0.0.1:{}/a", ntohs(address.sin_port)), server.url("/a")}, dir / "a", options);
  const auto took = std::chrono::steady_clock::now() - begin;
  CHECK(took > std::chrono::milliseconds(900));
  CHECK(took < std::chrono::seconds(20));
  CHECK(read_file(dir / "a") == bytes);
  for (const int fd : waiting) ::close(fd);
  ::close(silent);
}

TEST_CASE("a server that sends too much is cut off and nothing is kept", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(50000);
  server.page("/announced").body = bytes + "x";
  server.page("/endless").body = bytes;
  server.page("/endless").endless = true;
  server.page("/right").body = bytes;
  auto options = wanting(bytes);
  options.most_bytes = 50000;
  std::int64_t most = 0;
  options.progress = [&](std::int64_t now, std::int64_t) { most = std::max(most, now); };
  const auto e = caught([&] { fetch_file({server.url("/announced"), server.url("/endless")}, dir / "a", options); });
  CHECK(e.kind() == ErrorKind::kData);
  const std::string why = "the server sends more than the 50000 bytes allowed for this file";
  CHECK(e.why() == fmt::format("{}: {}; {}: {}", server.url("/announced"), why, server.url("/endless"), why));
  CHECK(names(dir.path()).empty());
  CHECK(server.requests().size() == 2);
  CHECK(most < 500000);
  // Also from where an earlier download stopped; a part that is already too large is discarded.
  for (const std::size_t there : {std::size_t(49999), std::size_t(60000)}) {
    put(dir / ".a.part", noise(there));
    CHECK(caught([&] { fetch_file({server.url("/announced")}, dir / "a", options); }).why() == server.url("/announced") + ": " + why);
    CHECK(names(dir.path()).empty());
  }
  put(dir / ".a.part", noise(60000));
  fetch_file({server.url("/right")}, dir / "a", options);
  CHECK(read_file(dir / "a") == bytes);
}

TEST_CASE("redirects are limited and never lead from https to http", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  server.page("/round").status = 302;
  server.page("/round").location = "/round";
  auto once = wanting("x");
  once.attempts = 1;  // a broken connection would be retried
  CHECK(caught([&] { fetch_file({server.url("/round")}, dir / "a", once); }).message() == "cannot download 'a'");
  CHECK(server.requests().size() == 9);
  CHECK(redirect_protocols("https://huggingface.co/a") == "https");
  CHECK(redirect_protocols("http://127.0.0.1/a") == "http,https");
  CHECK(redirect_protocols("file:///a") == "");
  for (const auto* url : {"ftp://127.0.0.1/a", "gopher://127.0.0.1/a", "dict://127.0.0.1/a", "scp://127.0.0.1/a"}) {
    const auto why = caught([&] { fetch_file({url}, dir / "a", wanting("x")); }).why();  // libcurl's own words, which vary
    INFO(why);
    CHECK((holds(why, "disabled") || holds(why, "not supported")));
  }
}

TEST_CASE("a full disk ends a download clearly and the next one resumes it", "[fetch]") {
  const Scratch dir;
  HttpServer server;
  const auto bytes = noise(200000);
  server.page("/a").body = bytes;
  {
    FullDisk calls(100000);
    const FileCallsReplaced replaced(calls);
    const auto e = caught([&] { fetch_file({server.url("/a"), server.url("/a")}, dir / "a", wanting(bytes)); });
    CHECK(e.kind() == ErrorKind::kFile);
    CHECK(e.message() == fmt::format("cannot write '{}'", (dir / ".a.part").string()));
    CHECK(e.hint() == "free some disk space and run the same command again");
  }
  CHECK(server.requests().size() == 1);
  fetch_file({server.url("/a")}, dir / "a", wanting(bytes));
  CHECK(server.requests().back() == "GET /a from 100000");
  CHECK(read_file(dir / "a") == bytes);
}

TEST_CASE("stale partial downloads are removed but locked ones are kept", "[fetch]") {
  const Scratch dir;
  put(dir / "a", "bytes");
  remove_unused_part(dir / "a");
  put(dir / ".a.part", "by");
  const int holder = ::open((dir / ".a.part").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(try_lock(holder));
  remove_unused_part(dir / "a");
  CHECK(names(dir.path()) == std::vector<std::string>{".a.part", "a"});
  ::close(holder);
  remove_unused_part(dir / "a");
  CHECK(names(dir.path()) == std::vector<std::string>{"a"});
}
