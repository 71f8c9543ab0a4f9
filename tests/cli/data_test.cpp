// `yatlab data`, and downloads before a run, with a server that does not do what it should.

#include <csignal>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "core/base/hash.h"
#include "data/http_server.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
using testing::HttpServer;
using testing::Process;

/// A folder of configs with one data set, of one file on that server.
void declare(const fs::path& folder, const HttpServer& server, const std::string& size) {
  fs::create_directories(folder / "configs/dataset");
  std::ofstream(folder / "configs/dataset/slow.yaml") << "name: slow\nfiles:\n  train: {file: a.bin, sha256: '" << std::string(64, '0')
                                                      << "'" << size << "}\nmirrors: ['" << server.url("/") << "']\n";
}

}  // namespace

TEST_CASE("Ctrl-C ends a download and keeps what has arrived; the next goes on from there", "[cli][data]") {
  HttpServer server;
  auto& page = server.page("/a.bin");
  page.body = std::string(50000, 'x');
  page.cut_after = 20000;
  page.hangs = true;
  const Desk desk;
  declare(desk.path() / "here", server, "");
  const fs::path folder = desk.path() / "here", part = folder / "data/slow/.a.bin.part", output = desk.path() / "output.txt";
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto before = server.requests().size();
    Process process({"data", "fetch", "slow"}, folder, output, desk.environment());
    REQUIRE(process.wait_until([&] { return server.requests().size() > before; }));
    REQUIRE(process.wait_until([&] {
      std::error_code none;
      return fs::file_size(part, none) >= 20000 * (before + 1) && !none;
    }));
    process.signal(signal);
    CHECK(process.wait() == 128 + signal);
    INFO(read_file(output));
    CHECK(holds(
        read_file(output),
        "interrupted: the download of 'a.bin' was stopped\n  why: what has arrived is kept\n  try: the same command goes on from there\n"));
  }
  CHECK(server.requests() == std::vector<std::string>{"GET /a.bin", "GET /a.bin from 20000"});
  CHECK(fs::file_size(part) == 40000);
}

TEST_CASE("a download is stopped before a run, too: no substitute is trained on, and no run is left", "[cli][data]") {
  HttpServer server;
  server.page("/train-images-idx3-ubyte.gz").body = std::string(50000, 'x');
  server.page("/train-images-idx3-ubyte.gz").cut_after = 20000;
  server.page("/train-images-idx3-ubyte.gz").hangs = true;
  std::string text = testing::kTinyArm;
  text.replace(text.find("/dataset: synthetic_digits"), 26, "/dataset: mnist");
  text.replace(text.find("dataset: {train_size: 60, test_size: 20}"), 40,
               "dataset: {limit: 60, test_limit: 20, system_paths: [], mirrors: ['" + server.url("/") + "']}");
  const Desk desk(text);
  Process process({"tiny.yaml"}, desk.path(), desk.path() / "output.txt", desk.environment());
  REQUIRE(process.wait_until([&] { return !server.requests().empty(); }));
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
  INFO(read_file(desk.path() / "output.txt"));
  CHECK(holds(read_file(desk.path() / "output.txt"), "the download of 'train-images-idx3-ubyte.gz' was stopped"));
  CHECK_FALSE(fs::exists(desk.run()));
}

TEST_CASE("what is declared to be small is not downloaded large", "[cli][data]") {
  HttpServer server;
  server.page("/a.bin").body = "0123456789";
  server.page("/a.bin").endless = true;
  const Desk desk;
  declare(desk.path() / "here", server, ", bytes: 1000");
  const auto answer = desk.ask_in(desk.path() / "here", {"data", "fetch", "slow"});
  INFO(answer.output);
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "it sends more than the 1000 bytes that the file may have"));
  CHECK(fs::is_empty(desk.path() / "here/data/slow"));
}

TEST_CASE("what no published sum vouches for is called so where data are listed and fetched", "[cli][data]") {
  const Desk desk;
  const auto listed = desk.ask({"data", "list", "fineweb", "mnist"}).output;
  INFO(listed);
  CHECK(holds(listed, "fineweb_val_000000.bin"));
  CHECK(listed.find("unauthenticated: no checksum is published") < listed.find("mnist"));
  CHECK(listed.find("unauthenticated") == listed.rfind("unauthenticated"));  // of the one, not of the other
  HttpServer server;
  server.page("/a.txt").body = "some bytes";
  const fs::path folder = desk.path() / "here";
  fs::create_directories(folder / "configs/dataset");
  std::ofstream(folder / "configs/dataset/plain.yaml")
      << "name: plain\nfiles:\n  train: {file: a.txt, bytes: 10}\nmirrors: ['" << server.url("/") << "']\n";
  const auto fetched = desk.ask_in(folder, {"data", "fetch", "plain"});
  INFO(fetched.output);
  CHECK(fetched.status == 0);
  CHECK(holds(fetched.output, "plain: data/plain/a.txt  (unauthenticated: no checksum is published; sha256 " + sha256("some bytes") + ")"));
}

}  // namespace yatlab
