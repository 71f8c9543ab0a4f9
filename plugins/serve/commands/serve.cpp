#include <fmt/format.h>
#include <spawn.h>

#include <random>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "plugins/serve/server/http_server.h"
#include "plugins/serve/server/live_results.h"

extern char** environ;

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// 128 random bits.
std::string new_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0; }

/// Opens the desktop's default browser; the address is printed in any case.
void open_browser(std::string address) {
  std::string program = "xdg-open";
  char* words[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, program.c_str(), nullptr, nullptr, words, environ) != 0)
    say_error("cannot open a browser (xdg-open is not installed): open the address yourself\n");
}

}  // namespace

static void serve_options(po::options_description& options) {
  options.add_options()("port", po::value<int>()->default_value(8080), "port to listen on, or the next free one if it is taken")(
      "host", po::value<std::string>()->default_value("127.0.0.1"),
      "address to listen on; any but this machine's loopback address requires --token")(
      "token", po::value<std::string>(), "secret that clients must present; default: random")("open", po::bool_switch(), "open a browser")(
      "results", po::value<std::string>()->default_value("results"), "folder of the runs");
}

static int serve_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.size() > 1) throw config_error("serve takes one folder of runs", "command line", {}, "yatlab serve results");
  if (!args.words.empty() && args.has("results"))
    throw config_error("the folder of the runs is given twice", "command line", {}, "yatlab serve " + args.words.front());
  const fs::path results = args.words.empty() ? args.text("results") : args.words.front();
  if (!is_folder(results))
    throw config_error(fmt::format("there is no folder '{}'", visible(results.string())), "command line", {},
                       "give the folder of the runs: yatlab serve results");
  const int port = args.options["port"].as<int>();
  if (port < 0 || port > 65535) throw config_error("--port must be between 0 and 65535 (0: any that is free)", "command line");
  HttpServerOptions server_options;
  server_options.host = args.text("host");
  if (!is_loopback(server_options.host) && !args.has("token"))
    throw config_error(fmt::format("--host {} allows other machines to connect, so --token is required", visible(server_options.host)),
                       "--host", "anyone who can reach the port and knows the token can read all results",
                       fmt::format("yatlab serve --host {} --token {}", visible(server_options.host), new_token()));
  server_options.port = static_cast<std::uint16_t>(port);
  server_options.ports = port == 0 ? 1 : 100;
  server_options.token = args.has("token") ? args.text("token") : new_token();
  if (server_options.token.size() < 8 ||
      server_options.token.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != std::string::npos)
    throw config_error("a token must have at least 8 characters: letters, digits, '-' and '_'", "--token", {},
                       "yatlab serve --token " + new_token());
  LiveResults live(results);
  server_options.answer = [&](const HttpRequest& request) { return live.answer(request); };
  server_options.first_listener = [&] { live.begin(); };
  server_options.changes = [&] { return live.changes(); };
  const auto token = server_options.token, host = server_options.host;
  HttpServer server(std::move(server_options));
  server.stop_on_signals();
  if (port != 0 && server.port() != port) say("port {} is in use; using port {}\n", port, server.port());
  const auto address =
      fmt::format("http://{}:{}/?token={}", host.find(':') == std::string::npos ? host : "[" + host + "]", server.port(), token);
  say("{}\nCtrl-C ends it\n", address);
  std::fflush(stdout);
  if (args.flag("open")) open_browser(address);
  server.run();
  return 0;
}

/// Another name of it.
static int ui_command(const Command& self, const std::vector<std::string>& arguments) { return serve_command(self, arguments); }

YATLAB_COMMAND("serve", serve_command, serve_options);
YATLAB_COMMAND("ui", ui_command, serve_options);

}  // namespace yatlab::cli
