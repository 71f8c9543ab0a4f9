#include "core/cli/out_folder.h"

#include <fmt/format.h>

#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/system/shell.h"

namespace yatlab::cli {

void require_folder_name(const fs::path& out, const std::string& written) {
  static const std::set<std::string> kFiles = {".bin",   ".ckpt", ".csv",  ".gguf", ".gz",  ".h5",   ".html",        ".json",
                                               ".jsonl", ".log",  ".md",   ".npy",  ".npz", ".onnx", ".parquet",     ".pb",
                                               ".pdf",   ".pkl",  ".pt",   ".pth",  ".tar", ".tex",  ".safetensors", ".tsv",
                                               ".txt",   ".xz",   ".yaml", ".yml",  ".zip", ".zst"};
  std::error_code ec;
  if (fs::is_directory(out, ec) || kFiles.count(lower(out.extension().string())) == 0) return;
  fs::path folder = out;
  while (kFiles.count(lower(folder.extension().string()))) folder.replace_extension();
  throw config_error(fmt::format("'{}' is a file name, but this command writes a folder", visible(out.string())), "--out", written,
                     fmt::format("--out {}", shell_word(folder.string())));
}

void require_file_name(const fs::path& out, const std::string& file) {
  std::error_code ec;
  if (out.has_filename() && !fs::is_directory(out, ec)) return;
  throw config_error(fmt::format("'{}' is a folder, but this command writes a file", visible(out.string())), "--out", {},
                     fmt::format("--out {}", shell_word((out / file).string())));
}

}  // namespace yatlab::cli
