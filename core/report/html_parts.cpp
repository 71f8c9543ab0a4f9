#include "core/report/html_parts.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/figure/yat_letter.h"

namespace yatlab::html {
namespace {

// Longer data is compressed: the data of thousands of jobs is repetitive.
constexpr std::size_t kPlainData = 2'000'000;
constexpr const char* kReplacement = "\xEF\xBF\xBD";

// The length in bytes of the UTF-8 character at `i`; 0 for invalid bytes.
std::size_t utf8_length(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0u; };
  const auto tail = [&](std::size_t k) { return (byte(k) & 0xC0u) == 0x80u; };
  const unsigned a = byte(0), b = byte(1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return tail(1) ? 2 : 0;
  if ((a & 0xF0u) == 0xE0) {
    const bool valid = tail(1) && tail(2) && !(a == 0xE0 && b < 0xA0) && !(a == 0xED && b > 0x9F);
    return valid ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const bool valid = tail(1) && tail(2) && tail(3) && !(a == 0xF0 && b < 0x90) && !(a == 0xF4 && b > 0x8F);
    return valid ? 4 : 0;
  }
  return 0;
}

bool plain_in_url(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/=,").find(c) != std::string_view::npos;
}

}  // namespace

std::string text(std::string_view in) {
  std::string out;
  out.reserve(in.size());
  for (std::size_t i = 0; i < in.size();) {
    const std::size_t n = utf8_length(in, i);
    const char c = in[i];
    if (n == 0) {
      out += kReplacement;
      ++i;
      continue;
    }
    if (n > 1) {
      out += in.substr(i, n);
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if ((c >= 0 && c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) {
      out += kReplacement;
    } else {
      out += c;
    }
    i += n;
  }
  return out;
}

std::string link(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (plain_in_url(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string identifier(std::string_view in) {
  std::string out;
  for (const char c : in) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out += plain ? c : '-';
  }
  return out;
}

std::string script_json(const nlohmann::ordered_json& json) {
  const std::string dumped = dump_json_ascii(json);
  std::string out;
  out.reserve(dumped.size());
  for (const char c : dumped) {
    // Only strings contain '<'; "</script>" and "<!--" must not occur in a script element.
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string page_data(const nlohmann::ordered_json& json, std::size_t most) {
  auto plain = script_json(json);
  if (plain.size() <= most) return plain;
  auto size = ::compressBound(static_cast<uLong>(plain.size()));
  std::string packed(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
                  static_cast<uLong>(plain.size()), Z_BEST_COMPRESSION) != Z_OK)
    return plain;
  packed.resize(size);
  return script_json({{"packed", base64(packed)}});
}

std::string verdict_class(std::string_view verdict) {
  std::string out(verdict);
  for (char& c : out) {
    if (c == ' ') c = '-';
  }
  return out;
}

std::string badge(const Judgement& judgement) {
  return fmt::format("<span class=\"badge {}\">{}</span>", verdict_class(to_string(judgement.verdict)), verdict_name(judgement));
}

std::string badge(const Evidence& evidence) {
  const auto status = evidence.status();
  return fmt::format("<span class=\"badge {}\"><span aria-hidden=\"true\">{}</span> {}</span>", verdict_class(to_string(status)),
                     mark(status), evidence.status_text());
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

std::string section(const Section& section) {
  return fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n", section.id,
                     text(section.title), section.body);
}

// Embeds the font, since readers' fonts lack the letter; slightly enlarged, so that it does not look like an E.
std::string page_style() { return yat_font_face(1.2) + "\n" + std::string(kStyle); }

std::string page(const std::string& title, const std::string& head, const std::vector<Section>& sections,
                 const nlohmann::ordered_json& data) {
  std::string nav, body = head;
  for (const auto& one : sections) {
    if (one.body.empty()) continue;
    nav += fmt::format("<a href=\"#{}\">{}</a>", one.id, text(one.title));
    body += section(one);
  }
  const std::string title_text = text(title), json = page_data(data, kPlainData), style = page_style();
  const std::string script = std::string(kShared) + std::string(kScript);
  const auto value_of = [&](std::string_view name) -> std::string_view {
    if (name == "title") return title_text;
    if (name == "style") return style;
    if (name == "navigation") return nav;
    if (name == "body") return body;
    if (name == "data") return json;
    return script;
  };
  // In one pass, so that inserted text is never searched again.
  std::string out;
  std::string_view rest = kTemplate;
  for (auto open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
    const auto close = rest.find("}}", open);
    out += rest.substr(0, open);
    out += value_of(rest.substr(open + 2, close - open - 2));
    rest.remove_prefix(close + 2);
  }
  out += rest;
  return out;
}

}  // namespace yatlab::html
