// Completion: the program's proposals, and how real shells use them.

#include <algorithm>
#include <sstream>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/system/shell.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
using testing::kTinyExperiment;
using Strings = std::vector<std::string>;

Strings lines_of(const std::string& text) {
  Strings out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// The proposals of `yatlab complete` for a line, without descriptions. A word that contains quotes is inside open double quotes.
Strings proposed(const Desk& desk, Strings words) {
  if (!words.empty() && holds(words.back(), "'")) words.back().insert(0, "\"");
  words.insert(words.begin(), {"complete", "--"});
  const auto answer = desk.ask(words);
  CHECK(answer.status == 0);
  Strings out;
  for (const auto& line : lines_of(answer.output)) out.push_back(line.substr(0, line.find('\t')));
  return out;
}

/// The options in a command's help, in its order.
Strings listed_options(const std::string& help) {
  Strings out;
  for (const auto& line : lines_of(help)) {
    const auto name = line.find("--");
    if (line.rfind("  -", 0) == 0) out.push_back(line.substr(name, line.find(' ', name) - name));
  }
  return out;
}

bool has(const Strings& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

bool installed(const std::string& shell) {
  try {
    return run_process({shell, "-c", "exit 0"}).status == 0;
  } catch (const Error&) {
    return false;
  }
}

/// Runs a script in a shell that reads no start-up files and finds `yatlab`.
std::string in_shell(const Desk& desk, const Strings& shell, const std::string& script) {
  const auto path = fs::path(testing::program()).parent_path().string();
  Strings argv{"env", "PATH=" + path + ":/usr/bin:/bin", "HOME=" + desk.path().string()};
  for (const auto& [name, value] : testing::quick_starts().variables()) argv.push_back(name + "=" + value);
  argv.insert(argv.end(), shell.begin(), shell.end());
  argv.insert(argv.end(), {"-c", script});
  return run_process(argv, desk.path()).output;
}

}  // namespace

TEST_CASE("commands, options and experiments are completed", "[cli][completion]") {
  const Desk desk(kTinyExperiment);
  const auto first = proposed(desk, {""});
  for (const char* word : {"run", "plan", "config", "help", "completion", "xor", "sweeps/mnist_protocol", "tiny.yaml"})
    CHECK(has(first, word));
  CHECK_FALSE(has(first, "complete"));
  CHECK(proposed(desk, {"describ"}) == Strings{"describe"});
  CHECK(proposed(desk, {"mnist"}) == Strings{"mnist_classification", "mnist_inversion"});
  CHECK(proposed(desk, {"experiments/mn"}) == Strings{"experiments/mnist_classification.yaml", "experiments/mnist_inversion.yaml"});
  CHECK(proposed(desk, {"plan", "ti"}) == Strings{"tiny.yaml"});
  CHECK(proposed(desk, {"--plugin", "x.so", "--", "ti"}).empty());
  CHECK(proposed(desk, {"-m", "plan", "ti"}) == Strings{"tiny.yaml"});
  CHECK(proposed(desk, {"plan", "--js"}) == Strings{"--json"});
  CHECK(has(proposed(desk, {"tiny.yaml", "-"}), "--retry-failed"));
  CHECK(has(proposed(desk, {"data", "tokenize", "--"}), "--val-every"));
  CHECK_FALSE(has(proposed(desk, {"data", "--"}), "--val-every"));
  CHECK(proposed(desk, {"config", "tiny.yaml", "--arm", ""}) == Strings{"linear", "yat"});
  CHECK(proposed(desk, {"config", "tiny.yaml", "--format", "j"}) == Strings{"json"});
  CHECK(proposed(desk, {"config", "tiny.yaml", "--explain", "trainer.ep"}) == Strings{"trainer.epochs"});
  CHECK(proposed(desk, {"config", "tiny.yaml", "--explain=trainer.ep"}) == Strings{"--explain=trainer.epochs"});
  CHECK(proposed(desk, {"-cn", "xo"}) == Strings{"xor"});
  CHECK(proposed(desk, {"--cfg", "j"}) == Strings{"job"});
  CHECK(proposed(desk, {"list", "opt"}) == Strings{"optimizer"});
  CHECK(proposed(desk, {"describe", "opt"}) == Strings{"optimizer/"});
  CHECK(proposed(desk, {"describe", "optimizer/s"}) == Strings{"optimizer/sgd"});
  CHECK(proposed(desk, {"data", "fetch", "fash"}) == Strings{"fashion_mnist"});
  CHECK(proposed(desk, {"data", "describe", "fash"}) == Strings{"fashion_mnist"});
  CHECK(proposed(desk, {"data", "describe", "tiny.y"}) == Strings{"tiny.yaml"});
  CHECK(proposed(desk, {"data", "describe", "table", "dataset.lab"}) == Strings{"dataset.label="});
  CHECK(proposed(desk, {"data", "describe", "tiny.yaml", "dataset.train_"}) == Strings{"dataset.train_size="});
  CHECK(proposed(desk, {"list", "metrics", "ti"}) == Strings{"tiny.yaml"});
  CHECK(proposed(desk, {"list", "metrics", "tiny.yaml", "trainer.ep"}) == Strings{"trainer.epochs="});
  CHECK(proposed(desk, {"plugin", "b"}) == Strings{"build"});
  fs::create_directories(desk.path() / "my_project");
  CHECK(proposed(desk, {"plugin", "build", "my"}) == Strings{"my_project/"});
  CHECK(proposed(desk, {"plugin", "build", "--te"}) == Strings{"--test"});
  CHECK(proposed(desk, {"plugin", "promote", "--na"}) == Strings{"--name"});
  CHECK(proposed(desk, {"plugin", "promote", "tiny.y"}) == Strings{"tiny.yaml:"});
  CHECK(proposed(desk, {"plugin", "promote", "tiny.yaml:"}) == Strings{"tiny.yaml:linear", "tiny.yaml:yat"});
  CHECK(proposed(desk, {"plugin", "promote", "tiny.yaml:yat", "operator.eps"}) == Strings{"operator.epsilon="});
  CHECK(proposed(desk, {"help", "hy"}) == Strings{"hydra"});
  CHECK(proposed(desk, {"completion", "install", "z"}) == Strings{"zsh"});
  CHECK(has(proposed(desk, {"test", ""}), "cli"));
  // Every proposed command exists.
  for (const auto& word : proposed(desk, {"help", ""})) CHECK(desk.ask({"help", word}).status == 0);
}

TEST_CASE("completion offers the options that a command's help lists", "[cli][completion]") {
  const Desk desk;
  const auto check = [&](const Strings& help, Strings words) {
    INFO(join(help, " "));
    const auto answer = desk.ask(help);
    CHECK(answer.status == 0);
    const auto listed = listed_options(answer.output);
    CHECK(has(listed, "--help"));
    words.emplace_back("--");
    CHECK(proposed(desk, words) == listed);
  };
  const auto commands = proposed(desk, {"help", ""});
  CHECK(commands.size() > 25);
  for (const auto& command : commands) {
    if (command != "hydra") check({"help", command}, {command});
  }
  for (const char* hidden : {"ui", "new", "complete"}) check({hidden, "--help"}, {hidden});
  for (const Strings& two : {Strings{"data", "describe"}, {"data", "tokenize"}, {"list", "metrics"}, {"plugin", "promote"}})
    check({two[0], two[1], "--help"}, two);
}

TEST_CASE("keys and values are completed from the experiment and its components", "[cli][completion]") {
  const Desk desk(std::string(kTinyExperiment) + "scales: {smoke: ['trainer.epochs=1']}\n");
  const auto next = [&](const std::string& typed) { return proposed(desk, {"tiny.yaml", typed}); };
  CHECK(next("train") == Strings{"trainer."});
  CHECK(next("trainer.ep") == Strings{"trainer.epochs="});
  CHECK(next("optim") == Strings{"optimizer=", "optimizer."});
  CHECK(has(next("optimizer."), "optimizer.lr="));
  CHECK_FALSE(has(next("optimizer."), "optimizer.name="));
  CHECK(next("optimizer=s") == Strings{"optimizer=sgd"});
  CHECK(next("+optimizer=s") == Strings{"+optimizer=sgd"});
  CHECK(next("operator.eps") == Strings{"operator.epsilon="});  // an arm has it
  CHECK(next("trainer.shuffle=") == Strings{"trainer.shuffle=true", "trainer.shuffle=false"});
  CHECK(next("normalizer=n") == Strings{"normalizer=null"});
  CHECK(next("scale=") == Strings{"scale=smoke", "scale=null"});
  CHECK(next("~arms.") == Strings{"~arms.linear", "~arms.yat"});
  CHECK(next("arms.ya") == Strings{"arms.yat="});
  CHECK(next("+si") == Strings{"+size="});
  CHECK(has(next("+size="), "+size=nano"));
  CHECK(next("analyses=[prototype_n") == Strings{"analyses=[prototype_norms"});
  CHECK(next("analyses=[prototype_norms,prototype_im") == Strings{"analyses=[prototype_norms,prototype_images"});
  CHECK(next("optimizer=adam,sg") == Strings{"optimizer=adam,sgd"});
  CHECK(next("\"+arms.mine=") == Strings{"+arms.mine=['"});
  CHECK(next("+arms.mine=").empty());  // unquoted, the shell would remove the list's quotes
  CHECK(next("+arms.mine=['operator=cos") == Strings{"+arms.mine=['operator=cosine"});
  CHECK(next("+arms.mine=['operator=cosine', 'trainer.ep") == Strings{"+arms.mine=['operator=cosine', 'trainer.epochs="});
  const auto enums = next("architecture.scale=");
  CHECK(has(enums, "architecture.scale=n_over_log"));
  // Earlier choices count.
  CHECK(proposed(desk, {"tiny.yaml", "optimizer=sgd", "optimizer.mom"}) == Strings{"optimizer.momentum="});
  CHECK(next("optimizer.mom").empty());
  // An incomplete line may have any mistake: no error, and the remaining proposals.
  CHECK(proposed(desk, {"tiny.yaml", "operator=nosuch", "trainer.ep"}) == Strings{"trainer.epochs="});
  CHECK(proposed(desk, {"tiny.yaml", "a=[", "trainer.ep"}) == Strings{"trainer.epochs="});
  CHECK(proposed(desk, {"nosuch.yaml", "trainer.ep"}).empty());
  CHECK(proposed(desk, {"--nosuch", "tiny.yaml", "trainer.ep"}) == Strings{"trainer.epochs="});
  CHECK(proposed(desk, {"--plugin", "nosuch.so", "tiny.yaml", "trainer.ep"}).empty());
  CHECK(proposed(desk, {}).size() > 10);
  std::ofstream(desk.path() / "tiny.yaml") << "name: [\n";
  CHECK(next("trainer.ep").empty());
  // A proposed value is accepted.
  std::ofstream(desk.path() / "tiny.yaml") << kTinyExperiment;
  for (const auto& choice : next("optimizer=")) CHECK(desk.ask({"config", "tiny.yaml", choice}).status == 0);
  for (const auto& key : next("")) {
    INFO(key);
    CHECK((key.back() == '=' || key.back() == '.'));
  }
}

TEST_CASE("completion knows the components of a plugin library given before", "[cli][completion][plugins]") {
  const Desk desk(kTinyExperiment);
  const std::string library = YATLAB_OUT_OF_TREE "/rational.so";
  CHECK(proposed(desk, {"--plugin", library, "list", "operator", ""}).size() > 3);
  CHECK(proposed(desk, {"--plugin", library, "tiny.yaml", "+arms.x=['operator=rat"}) == Strings{"+arms.x=['operator=rational"});
  CHECK(proposed(desk, {"tiny.yaml", "plugins.path=[" + library + "]", "+arms.x=['operator=rational"}).size() == 1);
  CHECK(proposed(desk, {"tiny.yaml", "+arms.x=['operator=rational"}).empty());
}

TEST_CASE("completion works in bash", "[cli][completion][shell]") {
  const Desk desk(kTinyExperiment);
  // Words split as by bash: at '=' and ':', but not inside quotes.
  const auto reply = [&](const std::string& words, const std::string& program = "yatlab") {
    const auto script = "source <(yatlab completion bash); COMP_WORDS=(" + program + " " + words +
                        "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _yatlab; "
                        "printf '%s\\n' \"${COMPREPLY[@]}\"";
    return lines_of(in_shell(desk, {"bash", "--norc", "--noprofile"}, script));
  };
  CHECK(reply("describ") == Strings{"describe"});
  CHECK(reply("tiny.yaml trainer.ep") == Strings{"trainer.epochs="});
  CHECK(reply("tiny.yaml optimizer = s") == Strings{"sgd"});
  CHECK(reply("tiny.yaml optimizer =") == Strings{"adam", "adamw", "sgd"});
  CHECK(reply("tiny.yaml trainer.epochs = 3 optimizer = s") == Strings{"sgd"});
  CHECK(reply("-m plan tiny.yaml optimizer.lr") == Strings{"optimizer.lr="});
  CHECK(reply(R"(tiny.yaml \"+arms.x=[\'operator=cos)") == Strings{"+arms.x=['operator=cosine"});
  CHECK(reply("describe optimizer/s") == Strings{"optimizer/sgd"});
  CHECK(reply("nosuch.yaml trainer.ep") == Strings{""});
  // Through run.sh: uses the existing program, from any folder, and never builds.
  const fs::path source = YATLAB_SOURCE_DIR;
  const auto preset = fs::path(YATLAB_BINARY_DIR).filename().string();
  const auto run = "export YATLAB_PRESET=" + preset + "; ";
  const auto through = [&](const std::string& program) {
    const auto script = run + "source <(yatlab completion bash); COMP_WORDS=(" + program +
                        " tiny.yaml trainer.ep); COMP_CWORD=2; _yatlab; printf '%s\\n' \"${COMPREPLY[@]}\"";
    return lines_of(in_shell(desk, {"bash", "--norc", "--noprofile"}, script));
  };
  CHECK(through(source.string() + "/run.sh") == Strings{"trainer.epochs="});
  fs::create_directory(desk.path() / "foreign");
  std::ofstream(desk.path() / "foreign/run.sh") << "#!/bin/sh\ntouch was_run\necho trainer.wrong=\n";
  fs::permissions(desk.path() / "foreign/run.sh", fs::perms::owner_all);
  CHECK(through("foreign/run.sh") == Strings{""});
  CHECK_FALSE(fs::exists(desk.path() / "was_run"));
  // Bash itself has the completion registered for these commands.
  CHECK(holds(in_shell(desk, {"bash", "--norc", "--noprofile"}, "source <(yatlab completion bash); complete -p yatlab run.sh"),
              "-F _yatlab run.sh"));
}

TEST_CASE("run.sh completes without building anything", "[cli][completion][shell]") {
  const Desk desk(kTinyExperiment);
  const fs::path source = YATLAB_SOURCE_DIR, clone = desk.path() / "clone";
  fs::create_directory(clone);
  fs::copy_file(source / "run.sh", clone / "run.sh");
  const auto nothing = run_process({"bash", (clone / "run.sh").string(), "complete", "--", "pl"}, desk.path());
  CHECK(nothing.status == 0);
  CHECK(nothing.output == "");
  CHECK_FALSE(fs::exists(clone / "build"));
  fs::create_directories(clone / "build/release/bin");
  fs::create_symlink(testing::program(), clone / "build/release/bin/yatlab");
  const auto some = run_process(
      {"env", "-u", "YATLAB_PRESET", "bash", (clone / "run.sh").string(), "complete", "--", "tiny.yaml", "trainer.ep"}, desk.path());
  CHECK(some.status == 0);
  CHECK(some.output.rfind("trainer.epochs=\t", 0) == 0);
  CHECK_FALSE(fs::exists(clone / "build/release/setup.log"));
}

TEST_CASE("completion works in zsh", "[cli][completion][shell]") {
  if (!installed("zsh")) {
    WARN("zsh is not installed: its completion is not tested");
    return;
  }
  const Desk desk(kTinyExperiment);
  const auto reply = [&](const std::string& words) {
    // Outside its line editor zsh has no compadd, so its arguments are printed.
    const auto script =
        "autoload -Uz compinit; compinit -u -D; source <(yatlab completion zsh); compadd() { local array=${@[-1]}; print -rl -- "
        "${(P)array} }; "
        "_default() { print default }; setopt noglob; words=(yatlab " +
        words + "); unsetopt noglob; CURRENT=${#words}; _yatlab";
    return lines_of(in_shell(desk, {"zsh", "-f"}, script));
  };
  CHECK(reply("describ") == Strings{"describe"});
  CHECK(reply("tiny.yaml trainer.ep") == Strings{"trainer.epochs="});
  CHECK(reply("tiny.yaml optimizer=s") == Strings{"optimizer=sgd"});
  CHECK(reply("tiny.yaml optim") == Strings{"optimizer=", "optimizer."});
  CHECK(reply("-m plan tiny.yaml optimizer.lr") == Strings{"optimizer.lr="});
  CHECK(reply(R"(tiny.yaml \"+arms.x=[\'operator=cos)") == Strings{"+arms.x=['operator=cosine"});
  CHECK(reply("nosuch.yaml trainer.ep") == Strings{"default"});
}

TEST_CASE("completion works in fish", "[cli][completion][shell]") {
  if (!installed("fish")) {
    WARN("fish is not installed: its completion is not tested");
    return;
  }
  const Desk desk(kTinyExperiment);
  const auto reply = [&](const std::string& line, const std::string& before = "") {
    Strings out;
    for (const auto& text :
         lines_of(in_shell(desk, {"fish", "--no-config"}, before + "yatlab completion fish | source; complete -C " + shell_word(line)))) {
      out.push_back(text.substr(0, text.find('\t')));
    }
    return out;
  };
  CHECK(reply("yatlab describ") == Strings{"describe"});
  CHECK(reply("yatlab tiny.yaml trainer.ep") == Strings{"trainer.epochs="});
  CHECK(reply("yatlab tiny.yaml optimizer=s") == Strings{"optimizer=sgd"});
  CHECK(reply("yatlab -m plan tiny.yaml optimizer.lr") == Strings{"optimizer.lr="});
  CHECK(reply("yatlab nosuch.yaml trainer.ep").empty());
  const auto preset = fs::path(YATLAB_BINARY_DIR).filename().string();
  CHECK(reply(std::string(YATLAB_SOURCE_DIR) + "/run.sh tiny.yaml trainer.ep", "set -x YATLAB_PRESET " + preset + "; ") ==
        Strings{"trainer.epochs="});
}

TEST_CASE("completion is installed where the shell looks", "[cli][completion]") {
  const Desk desk;
  const auto home = desk.path().string();
  const auto install = [&](const std::string& line) {
    return desk.ask_shell("export HOME=$PWD; unset XDG_DATA_HOME XDG_CONFIG_HOME BASH_COMPLETION_USER_DIR; " + line);
  };
  struct Case {
    const char* line;
    Strings files;
    const char* script;
  };
  const Case cases[] = {
      {"yatlab completion install bash",
       {".local/share/bash-completion/completions/yatlab", ".local/share/bash-completion/completions/run.sh"},
       "bash"},
      {"yatlab completion install zsh", {".local/share/zsh/site-functions/_yatlab"}, "zsh"},
      {"yatlab completion install fish", {".config/fish/completions/yatlab.fish", ".config/fish/completions/run.sh.fish"}, "fish"},
      {"SHELL=/usr/bin/fish XDG_CONFIG_HOME=$PWD/c yatlab completion install", {"c/fish/completions/yatlab.fish"}, "fish"},
      {"XDG_DATA_HOME=$PWD/d yatlab completion install bash", {"d/bash-completion/completions/yatlab"}, "bash"},
      {"XDG_DATA_HOME=$PWD/d yatlab completion install zsh", {"d/zsh/site-functions/_yatlab"}, "zsh"},
  };
  for (const auto& [line, files, shell] : cases) {
    INFO(line);
    const auto answer = install(line);
    CHECK(answer.status == 0);
    for (const auto& file : files) {
      INFO(file);
      CHECK(holds(answer.output, "wrote " + home + "/" + file + "\n"));
      REQUIRE(fs::exists(desk.path() / file));
      CHECK(read_file(desk.path() / file) == desk.ask({"completion", shell}).output);
    }
  }
  if (installed("zsh")) {  // from its installed place, as zsh loads it
    const auto loaded = in_shell(desk, {"zsh", "-f"},
                                 "fpath=($HOME/.local/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; print "
                                 "$_comps[yatlab] $_comps[run.sh]");
    CHECK(loaded == "_yatlab _yatlab\n");
  }
  CHECK(holds(install("SHELL=/bin/tcsh yatlab completion install").output, "error: there is no completion for the shell '/bin/tcsh'\n"));
  // Without the variable (containers, services) the system's user database gives the shell.
  const fs::path login = trim(desk.ask_shell("getent passwd $(id -u) | cut -d: -f7").output);
  const auto unset = install("unset SHELL; yatlab completion install");
  INFO(unset.output);
  if (login.filename() == "bash" || login.filename() == "zsh" || login.filename() == "fish") {
    CHECK(unset.status == 0);
    CHECK(holds(unset.output, "wrote " + home));
  } else {
    CHECK(unset.status == 2);
    CHECK(holds(unset.output, "yatlab completion install bash"));
  }
  CHECK(holds(install("yatlab completion install basch").output, "did you mean 'bash'?"));
  CHECK(install("yatlab completion").status == 2);
  CHECK(holds(install("unset HOME; yatlab completion install bash").output, "error: neither XDG_DATA_HOME nor HOME is set\n"));
  std::ofstream(desk.path() / "file") << "";
  const auto blocked = install("XDG_DATA_HOME=$PWD/file yatlab completion install bash");
  CHECK(blocked.status == 2);
  CHECK_FALSE(holds(blocked.output, "a bug in Yatlab"));
}

}  // namespace yatlab
