#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/cli/command.h"
#include "core/cli/experiments.h"
#include "core/compose/composed_experiment.h"
#include "core/config/compose.h"
#include "core/data/describe_data.h"
#include "core/figure/raster.h"
#include "core/job/loaded_data.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// A minimal experiment that accepts every data set with classes.
constexpr const char* kAnyData = "your_data";

/// The first training samples of every class, a row for each: values from the least (black) to the greatest (white).
Image picture_grid(const Dataset& dataset, const Split& train) {
  constexpr std::int64_t kClasses = 20, kEach = 12, kLine = 2;
  const auto shape = dataset.input_shape();
  const bool colours = shape.size() == 3 && shape[0] == 3, grey = shape.size() == 2 || (shape.size() == 3 && shape[0] == 1);
  if (!train.inputs.defined() || (!colours && !grey)) {
    throw config_error("'--pictures' needs a dataset of images", "command line",
                       fmt::format("inputs of {} have the shape {}", dataset.provenance().name, fmt::join(shape, " x ")));
  }
  const auto rows = shape[shape.size() - 2], columns = shape.back();
  const auto classes = std::min(dataset.num_classes(), kClasses);
  auto sheet = at::full({3, classes * (rows + kLine) + kLine, kEach * (columns + kLine) + kLine}, 255, at::kByte);
  const double least = train.inputs.min().item<double>(), most = train.inputs.max().item<double>();
  for (std::int64_t c = 0; c < classes; ++c) {
    const auto places = train.targets.eq(c).nonzero().squeeze(1);
    for (std::int64_t k = 0; k < std::min(kEach, places.size(0)); ++k) {
      const auto sample = train.inputs[places[k].item<std::int64_t>()].reshape({-1, rows, columns});
      const auto pixels = ((sample - least) * (255 / std::max(most - least, 1e-30))).round().to(at::kByte).expand({3, rows, columns});
      sheet.narrow(1, kLine + c * (rows + kLine), rows).narrow(2, kLine + k * (columns + kLine), columns).copy_(pixels);
    }
  }
  const auto bytes = sheet.permute({1, 2, 0}).contiguous();
  const auto* begin = bytes.data_ptr<std::uint8_t>();
  return png_image(static_cast<std::size_t>(sheet.size(2)), static_cast<std::size_t>(sheet.size(1)), {begin, begin + bytes.numel()});
}

}  // namespace

void data_describe_options(po::options_description& options) {
  options.add_options()("pictures", po::value<std::string>(), "write the first samples of every class as one PNG image");
  add_experiment_options(options);
}

int data_describe_command(const Command& self, const std::vector<std::string>& arguments) {
  const Command describe{"data describe",
                         "NAME | EXPERIMENT [dataset.key=value ...]",
                         "describe a data set: classes, ranges, problems",
                         "yatlab data describe table dataset.file=flowers.csv dataset.label=species",
                         self.run,
                         data_describe_options};
  auto args = parse_arguments(describe, arguments, "options of describe");
  if (args.help) return 0;
  if (args.words.empty()) {
    throw config_error("no dataset given", "command line", {},
                       "for example: yatlab data describe mnist; or an experiment with its overrides");
  }
  const auto name = args.words.front();
  const auto known = Composer(config_path()).options("dataset");
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    args.words.front() = "dataset=" + name;
    args.words.insert(args.words.begin(), kAnyData);
  } else if (find_experiment(name).empty()) {
    throw config_error(fmt::format("there is no dataset or experiment '{}'", name), "command line", {}, suggestion(name, known));
  }
  const auto experiment = ComposedExperiment(plan_request(args)).experiment();
  DataCache cache(experiment.at("data"));
  const auto data = cache.get(experiment.at("dataset"));
  const auto description = describe_data(*data->dataset, data->splits);
  say("{}", visible_lines(description.text));
  for (const auto& warning : description.warnings) say("  note: {}\n", visible_lines(warning));
  if (args.has("pictures")) {
    const fs::path file = args.text("pictures");
    write_file_atomic(file, picture_grid(*data->dataset, data->splits.at("train")).png);
    say("  pictures  {}\n", file.string());
  }
  return 0;
}

}  // namespace yatlab::cli
