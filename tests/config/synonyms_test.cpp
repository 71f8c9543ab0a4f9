#include "core/config/synonyms.h"

#include <cstdlib>

#include "catch.h"
#include "config/support.h"
#include "core/config/expression.h"
#include "core/config/sweep.h"
#include "core/system/called_as.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

TEST_CASE("keys and commands of other programs are answered with ours", "[config][synonyms]") {
  CHECK(key_synonym("model", "mlp") == "write architecture=mlp");
  CHECK(key_synonym("logger", "wandb") == "write tracker=wandb");
  CHECK(key_synonym("wandb.mode", "offline") == "write tracker=wandb tracker.mode=offline");
  CHECK(key_synonym("trainer.max_epochs", "3") == "write trainer.epochs=3");
  CHECK(key_synonym("optimizer.learning_rate", "0.1") == "write optimizer.lr=0.1");
  CHECK(key_synonym("trainer.gpus", "1") == "write trainer.device=cuda");
  CHECK(key_synonym("file", "flowers.csv") == "write dataset.file=flowers.csv");
  CHECK(key_synonym("label", "sp ecies") == "write 'dataset.label=sp ecies'");
  CHECK(key_synonym("trainer.epochs", "3").empty());
  CHECK(key_synonym("trainer.gpus", "0") == "write trainer.device=cpu");
  CHECK(key_synonym("precision", "16-mixed") == "write architecture.precision=bfloat16");
  CHECK(key_synonym("n_seeds", "3") == "write 'seeds=range(0,3)'");
  CHECK(key_synonym("resume", "true") == "leave it out: the same command continues a run");
  CHECK(file_key_synonym("model", "mlp") == "write architecture: mlp");
  CHECK(file_key_synonym("optimizer.learning_rate", "0.1") == "write optimizer: {lr: 0.1}");
  CHECK(file_key_synonym("wandb.mode", "offline") == "write tracker: {name: wandb, mode: offline}");
  CHECK(file_key_synonym("early_stopping", "true") == "write trainer: {early_stopping: {metric: test/accuracy}}");
  CHECK(file_key_synonym("nonsense", "3").empty());
  CHECK(key_synonym("seed", "0,1") == "write seeds=0,1");
  CHECK(key_synonym("precision", "16,32") == "write architecture.precision=bfloat16,float32");
  CHECK(key_synonym("tracker.name", "run1") == "write tracker=wandb tracker.run_name=run1");
  CHECK(key_synonym("tracker.name", "tensorboard") == "write tracker=tensorboard");
  CHECK(key_synonym("optimizer._target_", "torch.optim.Adam") == "write optimizer=adam; 'yatlab list optimizer' shows the names");
  CHECK(file_key_synonym("optimizer._target_", "torch.optim.Adam") == "write optimizer: adam; 'yatlab list optimizer' shows the names");
  CHECK(value_synonym("data", "mnist", true) == "write dataset=mnist");
  CHECK(value_synonym("data", "mnist", false) == "write dataset: mnist");
  CHECK(value_synonym("trainer.early_stopping", "true", true) == "set trainer.early_stopping.metric=test/accuracy");
  CHECK(value_synonym("trainer", "3", true).empty());
  CHECK(map_synonym("wandb", {{"mode", "offline"}, {"name", "a"}}, false) == "write tracker: {name: wandb, mode: offline, run_name: a}");
  CHECK(map_synonym("nonsense", {}, false).empty());
  CHECK(kind_synonym("models") == "architecture");
  CHECK(kind_synonym("nonsense").empty());
  CHECK(holds(command_answer("login"), "WANDB_API_KEY"));
  CHECK(command_answer("xor").empty());
  CHECK(choice_synonym("sweeper", "optuna") == "tpe");
  CHECK(choice_synonym("sweeper", "random").empty());
  CHECK(option_synonym("--epochs", "3") == "trainer.epochs=3");
  CHECK(option_synonym("--learning-rate", "0.1") == "optimizer.lr=0.1");
  CHECK(option_synonym("--batch-size", "") == "trainer.batch_size=...");
  CHECK(option_synonym("--nonsense", "3").empty());
  CHECK(command_synonym("train") == "run");
  CHECK(command_synonym("xor").empty());
}

TEST_CASE("messages name the program as it was called", "[config][synonyms]") {
  ::unsetenv("YATLAB_CALLED_AS");
  CHECK(as_called("'yatlab list operator' shows all") == "'yatlab list operator' shows all");
  ::setenv("YATLAB_CALLED_AS", "../a tree/run.sh", 1);
  CHECK(as_called("yatlab plan xor") == "'../a tree/run.sh' plan xor");
  ::setenv("YATLAB_CALLED_AS", "./run.sh", 1);
  CHECK(as_called("'yatlab list operator' shows all; yatlab --plugin x.so") ==
        "'./run.sh list operator' shows all; ./run.sh --plugin x.so");
  CHECK(as_called("the package yatlab 0.1, /usr/lib/yatlab/x, libyatlab so") == "the package yatlab 0.1, /usr/lib/yatlab/x, libyatlab so");
  // Text written by the user stays.
  CHECK(error_as_called("title 'yatlab and me'\n  at: here\n  try: yatlab help") ==
        "title 'yatlab and me'\n  at: here\n  try: ./run.sh help");
  ::unsetenv("YATLAB_CALLED_AS");
}

TEST_CASE("Python's ** for powers is answered with ^", "[config][synonyms]") {
  const auto text = error_of([] { Expression::parse("dot**2 / d", Origin{"operator.f", 0, 0, {}}); });
  INFO(text);
  CHECK(holds(text, "try: use ^ for powers: dot^2 / d"));
  CHECK_FALSE(holds(error_of([] { Expression::parse("dot * * 2", Origin{"operator.f", 0, 0, {}}); }), "power"));
}

TEST_CASE("mistakes in seeds are explained in command line syntax", "[config][synonyms]") {
  const auto answer = [](const std::string& seeds, const std::string& source) {
    return error_of([&] { parse_seeds(Node(seeds).set_origin({source, 0, 0, "seeds=" + seeds})); });
  };
  CHECK(holds(answer("0..4", "command line"), "try: 0 to 4 are 'seeds=range(0,5)'"));
  CHECK(holds(answer("many", "command line"), "try: write seeds=3, 'seeds=[0,1,2]' or 'seeds=range(0,5)'"));
  CHECK(holds(answer("0..4", "x.yaml"), "try: 0 to 4 are seeds: range(0, 5)"));
  CHECK(holds(answer("many", "x.yaml"), "try: write seeds: 3, seeds: [0, 1, 2] or seeds: range(0, 5)"));
}
