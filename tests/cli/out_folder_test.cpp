// --out, for commands that write folders, and for one that writes a file.
#include "core/cli/out_folder.h"

#include <fstream>

#include "catch.h"
#include "cli/support.h"
#include "core/base/error.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;

template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kConfig);
    CHECK(e.where() == "--out");
    return e.message() + " | " + e.hint();
  }
  return "";
}

}  // namespace

TEST_CASE("file names and folder names are distinguished", "[out]") {
  const TemporaryFolder folder;
  const auto there = folder.path() / "old.safetensors";
  fs::create_directory(there);
  const auto asked = [](const fs::path& out) { return refusal([&] { cli::require_folder_name(out, "written"); }); };
  CHECK(asked("x.safetensors") == "'x.safetensors' is a file name, but this command writes a folder | --out x");
  CHECK(asked("a b/m.tar.gz") == "'a b/m.tar.gz' is a file name, but this command writes a folder | --out 'a b/m'");
  CHECK(asked("models/M.PT") == "'models/M.PT' is a file name, but this command writes a folder | --out models/M");
  for (const fs::path& out :
       {fs::path("models/gpt2"), fs::path("gpt2-0.8M"), fs::path("run.v2"), fs::path("x.bin/"), fs::path("."), fs::path("../x"), there}) {
    INFO(out);
    CHECK(asked(out).empty());
  }
  const auto file = [](const fs::path& out) { return refusal([&] { cli::require_file_name(out, "jobs.csv"); }); };
  CHECK(file("jobs").empty());
  CHECK(file("new/jobs.csv").empty());
  CHECK(file("new/") == "'new/' is a folder, but this command writes a file | --out new/jobs.csv");
  CHECK(holds(file(there), "old.safetensors/jobs.csv"));
}

TEST_CASE("commands that write folders reject file names and suggest a folder", "[cli]") {
  const Desk desk;
  std::ofstream(desk.path() / "a.txt") << "one <|endoftext|> two";
  const std::vector<std::vector<std::string>> commands = {{"model", "export", "results/tiny", "--out", "x.safetensors"},
                                                          {"model", "import", "gpt2", "--out", "x.safetensors"},
                                                          {"data", "tokenize", "a.txt", "--tokenizer", "bytes", "--out", "x.bin"},
                                                          {"report", "--out", "x.tex"}};
  for (const auto& command : commands) {
    const auto answer = desk.ask(command);
    INFO(answer.output);
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, "is a file name, but this command writes a folder"));
    CHECK(holds(answer.output, "--out x\n"));
    CHECK_FALSE(fs::exists(desk.path() / command.back()));
  }
}

TEST_CASE("data tokenize reports how it reads <|endoftext|>", "[cli]") {
  const Desk desk;
  std::ofstream(desk.path() / "a.txt") << "one <|endoftext|> two";
  const std::vector<std::string> command = {"data", "tokenize", "a.txt", "--tokenizer", "bytes", "--out", "out"};
  const auto with = [&](const std::vector<std::string>& more) {
    auto all = command;
    all.insert(all.end(), more.begin(), more.end());
    return desk.ask(all);
  };
  const auto text = with({});
  CHECK(text.status == 0);
  CHECK(holds(text.output, "22 training tokens"));
  CHECK(holds(text.output, "<|endoftext|> occurs in the text 1 time, and was read as text; --endoftext token makes it the token 256"));
  const auto token = with({"--endoftext", "token"});
  CHECK(token.status == 0);
  CHECK(holds(token.output, "10 training tokens"));
  CHECK(holds(token.output, "<|endoftext|> occurs in the text 1 time, and became the token 256"));
  const auto wrong = with({"--endoftext", "tokn"});
  CHECK(wrong.status == 2);
  CHECK(holds(wrong.output, "did you mean 'token'?"));
  std::ofstream(desk.path() / "a.txt") << "one two";
  CHECK_FALSE(holds(with({}).output, "endoftext"));
}

}  // namespace yatlab
