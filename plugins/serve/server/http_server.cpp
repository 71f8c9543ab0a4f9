#include "plugins/serve/server/http_server.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <deque>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Response = http::response<http::string_body>;

constexpr std::uint32_t kHeaderBytes = 8192, kBodyBytes = 4096;
constexpr std::size_t kWaitingEvents = 64;

std::chrono::steady_clock::duration seconds(double s) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(s));
}

/// Processes that are started later (a resumed run) must not keep the port and the connections open.
void close_on_exec(int socket) { ::fcntl(socket, F_SETFD, FD_CLOEXEC); }

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

/// Compares in a time that does not depend on where they differ.
bool same_secret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned char differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differ == 0;
}

HttpRequest request_of(const std::string& method, const std::string& target) {
  HttpRequest out{method, {}, {}};
  const auto question = target.find('?');
  out.path = percent_decoded(target.substr(0, question));
  if (question == std::string::npos) return out;
  for (const auto& part : split(target.substr(question + 1), '&')) {
    const auto equal = part.find('=');
    if (equal != std::string::npos) out.query[percent_decoded(part.substr(0, equal))] = percent_decoded(part.substr(equal + 1));
  }
  return out;
}

HttpAnswer plain(unsigned status, const std::string& text) { return {status, "text/plain; charset=utf-8", text + "\n"}; }

}  // namespace

std::string percent_decoded(const std::string& text) {
  std::string out;
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

namespace {
class Connection;
}

struct HttpServer::Parts : std::enable_shared_from_this<HttpServer::Parts> {
  explicit Parts(HttpServerOptions o) : options(std::move(o)) {}

  HttpServerOptions options;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer timer{io};
  asio::signal_set signals{io};
  asio::thread_pool workers{2};  // slow answers do not delay other clients
  std::list<std::shared_ptr<Connection>> open;
  bool looking = false, timed = false;
  int quiet = 0;

  std::string cookie() const { return fmt::format("yatlab_{}", acceptor.local_endpoint().port()); }
  bool own_host(const std::string& host) const;
  std::optional<HttpAnswer> refused(const http::request<http::string_body>& request, HttpRequest& parsed) const;
  void accept();
  void look_later();
  void look();
  void tell(const std::vector<std::string>& events);
};

namespace {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, HttpServer::Parts* server);
  void read();
  void close();
  bool waiting() const { return waiting_; }
  bool listening() const { return listening_; }
  void tell(const std::string& text);

  std::list<std::shared_ptr<Connection>>::iterator place;

 private:
  void answer();
  void write(HttpAnswer answer, bool keep);
  void listen();
  void write_next();

  beast::tcp_stream stream_;
  HttpServer::Parts* server_;
  beast::flat_buffer buffer_{kHeaderBytes + kBodyBytes};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::shared_ptr<Response> response_;
  std::deque<std::string> events_;
  bool waiting_ = false, listening_ = false, closed_ = false;
};

}  // namespace

namespace {

Connection::Connection(tcp::socket socket, HttpServer::Parts* server) : stream_(std::move(socket)), server_(server) {}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  beast::error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream_.close();
  const auto self = shared_from_this();
  server_->open.erase(place);
}

void Connection::read() {
  parser_.emplace();
  parser_->header_limit(kHeaderBytes);
  parser_->body_limit(kBodyBytes);
  waiting_ = true;
  stream_.expires_after(seconds(server_->options.request_seconds));
  http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code ec, std::size_t) {
    self->waiting_ = false;
    if (self->closed_) return;
    if (!ec) return self->answer();
    if (ec == http::error::header_limit) return self->write(plain(431, "the header is longer than 8 kB"), false);
    if (ec == http::error::body_limit) return self->write(plain(413, "the body is longer than 4 kB"), false);
    if (ec.category() == http::make_error_code(http::error::bad_method).category() && ec != http::error::end_of_stream &&
        ec != http::error::partial_message)
      return self->write(plain(400, "not an HTTP request"), false);
    self->close();
  });
}

void Connection::answer() {
  const auto& request = parser_->get();
  const bool keep = request.keep_alive();
  HttpRequest parsed;
  if (auto refusal = server_->refused(request, parsed)) return write(std::move(*refusal), keep);
  if (parsed.path == "/api/events") return listen();
  stream_.expires_never();
  asio::post(server_->workers, [self = shared_from_this(), parsed, keep] {
    HttpAnswer out;
    try {
      out = self->server_->options.answer(parsed);
    } catch (const std::exception& e) {
      out.status = 500;
      out.body = dump_json_replacing(nlohmann::ordered_json{{"error", e.what()}});
    }
    asio::post(self->server_->io, [self, out = std::move(out), keep]() mutable {
      if (!self->closed_) self->write(std::move(out), keep);
    });
  });
}

void set_common(http::fields& fields) {
  fields.set("Cache-Control", "no-store");
  fields.set("X-Content-Type-Options", "nosniff");
  fields.set("X-Frame-Options", "DENY");
  fields.set("Referrer-Policy", "no-referrer");
  fields.set("Content-Security-Policy",
             "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; font-src data:; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'");
}

void Connection::write(HttpAnswer answer, bool keep) {
  response_ = std::make_shared<Response>();
  response_->version(11);
  response_->result(answer.status);
  set_common(*response_);
  response_->set(http::field::content_type, answer.type);
  for (const auto& [name, value] : answer.fields) response_->set(name, value);
  response_->body() = std::move(answer.body);
  response_->keep_alive(keep);
  response_->prepare_payload();
  stream_.expires_after(seconds(server_->options.answer_seconds));
  http::async_write(stream_, *response_, [self = shared_from_this(), keep](beast::error_code ec, std::size_t) {
    if (self->closed_) return;
    self->response_.reset();
    if (ec || !keep) return self->close();
    self->read();
  });
}

void Connection::listen() {
  const bool first = std::none_of(server_->open.begin(), server_->open.end(), [](const auto& c) { return c->listening(); });
  listening_ = true;
  http::fields fields;
  set_common(fields);
  std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n";
  for (const auto& field : fields) head += text_of(field.name_string()) + ": " + text_of(field.value()) + "\r\n";
  events_.push_back(head + "\r\nretry: 2000\n: here\n\n");
  write_next();
  // A worker runs the callback, which may take long; the check for changes is scheduled after it.
  asio::post(server_->workers, [server = server_, first, self = shared_from_this()] {
    if (first && server->options.first_listener) server->options.first_listener();
    asio::post(server->io, [server] { server->look_later(); });
  });
}

void Connection::tell(const std::string& text) {
  if (closed_) return;
  if (events_.size() > kWaitingEvents) return close();  // it does not read; it will reconnect
  events_.push_back(text);
  if (events_.size() == 1) write_next();
}

void Connection::write_next() {
  stream_.expires_after(seconds(server_->options.answer_seconds));
  asio::async_write(stream_, asio::buffer(events_.front()), [self = shared_from_this()](beast::error_code ec, std::size_t) {
    if (self->closed_) return;
    if (ec) return self->close();
    self->stream_.expires_never();
    self->events_.pop_front();
    if (!self->events_.empty()) self->write_next();
  });
}

bool is_loopback_name(const std::string& name) { return name == "127.0.0.1" || name == "localhost" || name == "[::1]"; }

}  // namespace

bool HttpServer::Parts::own_host(const std::string& host) const {
  const auto port = fmt::format(":{}", acceptor.local_endpoint().port());
  if (host.size() <= port.size() || host.compare(host.size() - port.size(), port.size(), port) != 0) return false;
  const auto name = lower(host.substr(0, host.size() - port.size()));
  if (is_loopback_name(name) || name == lower(options.host)) return true;
  if (acceptor.local_endpoint().address().is_loopback()) return false;
  // When listening to other machines, allow the machine's name or a numeric address: no other site's name resolves to these.
  beast::error_code ec;
  asio::ip::make_address(name.front() == '[' ? name.substr(1, name.size() - 2) : name, ec);
  return !ec || name == lower(host_name());
}

std::optional<HttpAnswer> HttpServer::Parts::refused(const http::request<http::string_body>& request, HttpRequest& parsed) const {
  const auto host = text_of(request[http::field::host]);
  if (!own_host(host)) return plain(403, "this server has a different name: open the address shown in the terminal");
  if (const auto origin = text_of(request[http::field::origin]); !origin.empty() && origin != "http://" + host)
    return plain(403, "the request comes from a different site");
  if (const auto site = text_of(request["Sec-Fetch-Site"]); site == "cross-site" && request.method() != http::verb::get)
    return plain(403, "the request comes from a different site");
  if (request.method() != http::verb::get && request.method() != http::verb::post) return plain(405, "only GET and POST are allowed");
  parsed = request_of(text_of(request.method_string()), text_of(request.target()));
  const auto shown = parsed.query.find("token");
  const bool in_address = shown != parsed.query.end() && same_secret(shown->second, options.token);
  bool knows = in_address;
  const auto bearer = text_of(request[http::field::authorization]);
  if (bearer.rfind("Bearer ", 0) == 0) knows = knows || same_secret(bearer.substr(7), options.token);
  for (const auto& part : split(text_of(request[http::field::cookie]), ';')) {
    const auto pair = trim(part);
    const auto begin = cookie() + "=";
    if (pair.rfind(begin, 0) == 0) knows = knows || same_secret(pair.substr(begin.size()), options.token);
  }
  if (!knows) return plain(401, "the token is missing: open the address shown in the terminal");
  if (in_address && parsed.path == "/" && request.method() == http::verb::get) {  // removes the token from the address line
    HttpAnswer out{303, "text/plain", ""};
    out.fields = {{"Location", "/"}, {"Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie(), options.token)}};
    return out;
  }
  return std::nullopt;
}

void HttpServer::Parts::accept() {
  acceptor.async_accept([this](beast::error_code ec, tcp::socket socket) {
    if (ec == asio::error::operation_aborted || !acceptor.is_open()) return;
    if (!ec) {
      close_on_exec(socket.native_handle());
      if (open.size() >= options.connections) {
        const auto oldest = std::find_if(open.begin(), open.end(), [](const auto& c) { return c->waiting(); });
        const auto going = oldest == open.end() ? nullptr : *oldest;
        if (going) going->close();
      }
      if (open.size() < options.connections) {
        auto connection = std::make_shared<Connection>(std::move(socket), this);
        connection->place = open.insert(open.end(), connection);
        connection->read();
      }
    }
    accept();
  });
}

void HttpServer::Parts::look_later() {
  if (timed || looking) return;
  if (std::none_of(open.begin(), open.end(), [](const auto& c) { return c->listening(); })) return;
  timed = true;
  timer.expires_after(seconds(options.every_seconds));
  timer.async_wait([this](beast::error_code ec) {
    timed = false;
    if (!ec) look();
  });
}

void HttpServer::Parts::look() {
  looking = true;
  asio::post(workers, [this] {
    std::vector<std::string> events;
    try {
      events = options.changes();
    } catch (const std::exception&) {  // what is unreadable now may be readable at the next check
    }
    asio::post(io, [this, events = std::move(events)] {
      looking = false;
      tell(events);
      look_later();
    });
  });
}

void HttpServer::Parts::tell(const std::vector<std::string>& events) {
  std::string text;
  for (const auto& event : events) text += "data: " + event + "\n\n";
  // Sends an empty line now and then, which reveals a disconnected client.
  if (text.empty() && ++quiet * options.every_seconds < 20) return;
  quiet = 0;
  if (text.empty()) text = ": \n\n";
  std::vector<std::shared_ptr<Connection>> all(open.begin(), open.end());
  for (const auto& connection : all) {
    if (connection->listening()) connection->tell(text);
  }
}

HttpServer::HttpServer(HttpServerOptions options) : parts_(std::make_shared<Parts>(std::move(options))) {
  auto& p = *parts_;
  beast::error_code ec;
  tcp::resolver resolver(p.io);
  const auto found = resolver.resolve(p.options.host, "0", tcp::resolver::passive, ec);
  if (ec || found.empty())
    throw config_error(fmt::format("unknown host '{}'", visible(p.options.host)), "--host", ec.message(), "--host 127.0.0.1");
  auto endpoint = found.begin()->endpoint();
  for (std::size_t i = 0; i < std::max<std::size_t>(1, p.options.ports); ++i) {
    const unsigned port = p.options.port + static_cast<unsigned>(i);
    if (port > 65535) break;
    endpoint.port(static_cast<std::uint16_t>(port));
    p.acceptor.open(endpoint.protocol(), ec);
    if (!ec) close_on_exec(p.acceptor.native_handle());
    if (!ec) p.acceptor.set_option(asio::socket_base::reuse_address(true), ec);
    if (!ec) p.acceptor.bind(endpoint, ec);
    if (!ec) p.acceptor.listen(asio::socket_base::max_listen_connections, ec);
    if (!ec) break;
    beast::error_code ignored;
    p.acceptor.close(ignored);
    if (ec != asio::error::address_in_use) break;
  }
  if (ec)
    throw config_error(fmt::format("cannot listen on {} port {}", visible(p.options.host), p.options.port), "--host, --port", ec.message(),
                       "yatlab serve --port 8080");
  p.accept();
}

HttpServer::~HttpServer() { parts_->workers.join(); }

std::uint16_t HttpServer::port() const { return parts_->acceptor.local_endpoint().port(); }

void HttpServer::stop_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) parts_->signals.add(signal);
  parts_->signals.async_wait([parts = parts_.get()](beast::error_code ec, int) {
    if (!ec) parts->io.stop();
  });
}

void HttpServer::run() { parts_->io.run(); }

void HttpServer::stop() { parts_->io.stop(); }

}  // namespace yatlab
