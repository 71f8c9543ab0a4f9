// `yatlab data`, and downloads before a run, from a faulty server.

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

/// A folder of configs with one data set, which has one file on that server.
void declare(const fs::path& folder, const HttpServer& server, const std::string& size) {
  fs::create_directories(folder / "configs/dataset");
  std::ofstream(folder / "configs/dataset/slow.yaml") << "name: slow\nfiles:\n  train: {file: a.bin, sha256: '" << std::string(64, '0')
                                                      << "'" << size << "}\nmirrors: ['" << server.url("/") << "']\n";
}

}  // namespace

TEST_CASE("Ctrl-C ends a download and the next download resumes it", "[cli][data]") {
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
    CHECK(holds(read_file(output),
                "interrupted: the download of 'a.bin' was stopped\n  why: the part downloaded so far is kept\n  try: run the same command "
                "again to continue from there\n"));
  }
  CHECK(server.requests() == std::vector<std::string>{"GET /a.bin", "GET /a.bin from 20000"});
  CHECK(fs::file_size(part) == 40000);
}

TEST_CASE("a download can be stopped before a run which then leaves nothing", "[cli][data]") {
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

TEST_CASE("a download larger than the declared size is rejected", "[cli][data]") {
  HttpServer server;
  server.page("/a.bin").body = "0123456789";
  server.page("/a.bin").endless = true;
  const Desk desk;
  declare(desk.path() / "here", server, ", bytes: 1000");
  const auto answer = desk.ask_in(desk.path() / "here", {"data", "fetch", "slow"});
  INFO(answer.output);
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "the server sends more than the 1000 bytes allowed for this file"));
  CHECK(fs::is_empty(desk.path() / "here/data/slow"));
}

TEST_CASE("files without a published checksum are called unauthenticated when listed and fetched", "[cli][data]") {
  const Desk desk;
  const auto listed = desk.ask({"data", "list", "fineweb", "mnist"}).output;
  INFO(listed);
  CHECK(holds(listed, "fineweb_val_000000.bin"));
  CHECK(listed.find("unauthenticated: no checksum is published") < listed.find("mnist"));
  CHECK(listed.find("unauthenticated") == listed.rfind("unauthenticated"));  // for the one data set only
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

TEST_CASE("data describe works before any training", "[cli][data]") {
  const Desk desk;
  fs::create_directory_symlink(fs::path(YATLAB_SOURCE_DIR) / "experiments", desk.path() / "experiments");
  std::string rows = "width,length,kind\n";
  for (int i = 0; i < 40; ++i) rows += std::to_string(2 * i) + "," + std::to_string(1000 * (i % 4)) + "," + (i % 2 ? "oak" : "elm") + "\n";
  std::ofstream(desk.path() / "t.csv") << rows;
  const std::vector<std::string> about = {"dataset.file=t.csv", "dataset.label=kind"};
  const auto ask = [&](std::vector<std::string> words, const std::vector<std::string>& more = {}) {
    words.insert(words.begin(), {"data", "describe"});
    words.insert(words.end(), more.begin(), more.end());
    return desk.ask(words);
  };
  const auto table = ask({"table"}, about);
  INFO(table.output);
  CHECK(table.status == 0);
  CHECK(holds(table.output, "t.csv\n  from      local: t.csv\n"));
  CHECK(holds(table.output, "inputs    2 numbers each"));
  CHECK(holds(table.output, "classes   2: elm, oak"));
  CHECK(holds(table.output, "note: values reach 3000"));
  // The same words as for a run give the same answer.
  CHECK(ask({"your_data", "dataset=table"}, about).output == table.output);
  CHECK(ask({"experiments/your_data.yaml", "dataset=table"}, about).output == table.output);

  const auto pictures = ask({"synthetic_digits", "dataset.train_size=100", "dataset.test_size=20", "--pictures", "grid.png"});
  INFO(pictures.output);
  CHECK(pictures.status == 0);
  CHECK(holds(pictures.output, "28 x 28 each"));
  CHECK(read_file(desk.path() / "grid.png").substr(0, 8) == "\x89PNG\r\n\x1a\n");
  const auto no_pictures = ask({"blobs", "--pictures", "none.png"});
  CHECK(no_pictures.status == 2);
  CHECK(holds(no_pictures.output, "inputs of blobs have the shape 2"));
  CHECK_FALSE(fs::exists(desk.path() / "none.png"));

  const auto wrong = ask({"tabel"});
  CHECK(wrong.status == 2);
  CHECK(holds(wrong.output, "there is no dataset or experiment 'tabel'"));
  CHECK(holds(wrong.output, "did you mean 'table'?"));
  CHECK(holds(ask({}).output, "no dataset given"));
  CHECK(holds(ask({"table"}).output, "'dataset.file' is required"));
  CHECK(ask({"table", "dataset.file=none.csv", "dataset.label=kind"}).status == 3);
}

}  // namespace yatlab
