// The small faults that tests/mutate.sh plants: lists them, and writes a source with one of them. The same sources have the same faults.
//
//   faults [--seed S] [--count N] FILE...   a line for each fault: its name, the text, its replacement, the line of code
//   faults --plant NAME                     the source with that fault
//
// A fault is called FILE:LINE:KIND, the second of a kind in a line FILE:LINE:KIND.2. With --count each folder gives the same number, if it has as
// many; the seed selects them. Comments, strings, preprocessor lines, template arguments and thrown expressions have no faults.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Token {
  enum Type { kWord, kNumber, kText, kSign } type;
  std::size_t begin, end;
  int line;
  std::string text;
  bool space_before = false, space_after = false;
};

struct Fault {
  std::string name, from, to, code;
  std::size_t begin, end;
};

/// Words, numbers, texts and symbols of C++, without comments and preprocessor lines.
std::vector<Token> tokens_of(const std::string& s) {
  static const std::vector<std::string> signs = {"<<=", ">>=", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=",
                                                 "==",  "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::vector<Token> out;
  int line = 1;
  bool line_begins = true;
  std::size_t i = 0;
  while (i < s.size()) {
    const char c = s[i];
    if (c == '\n') ++line, line_begins = true;
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
      continue;
    }
    if (s.compare(i, 2, "//") == 0 || (c == '#' && line_begins)) {
      while (i < s.size() && s[i] != '\n') {
        if (s[i] == '\\' && i + 1 < s.size() && s[i + 1] == '\n') ++i, ++line;
        ++i;
      }
      continue;
    }
    line_begins = false;
    std::size_t end = i + 1;
    Token::Type type = Token::kSign;
    if (s.compare(i, 2, "/*") == 0) {
      end = std::min(s.find("*/", i + 2), s.size() - 2) + 2;
      line += static_cast<int>(std::count(s.begin() + static_cast<std::ptrdiff_t>(i), s.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      i = end;
      continue;
    }
    const int at_line = line;
    if (s.compare(i, 2, "R\"") == 0) {
      const std::size_t open = s.find('(', i);
      const std::string closing = ")" + s.substr(i + 2, open - i - 2) + "\"";
      end = std::min(s.find(closing, open), s.size() - closing.size()) + closing.size();
      line += static_cast<int>(std::count(s.begin() + static_cast<std::ptrdiff_t>(i), s.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      type = Token::kText;
    } else if (c == '"' || c == '\'') {
      while (end < s.size() && s[end] != c) end += s[end] == '\\' ? 2 : 1;
      ++end;
      type = Token::kText;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      while (end < s.size() &&
             (is_word(s[end]) || s[end] == '.' || s[end] == '\'' ||
              ((s[end] == '-' || s[end] == '+') && (s[end - 1] == 'e' || s[end - 1] == 'E') && s.compare(i, 2, "0x") != 0)))
        ++end;
      type = Token::kNumber;
    } else if (is_word(c)) {
      while (end < s.size() && is_word(s[end])) ++end;
      type = Token::kWord;
    } else {
      for (const auto& sign : signs) {
        if (s.compare(i, sign.size(), sign) == 0) {
          end = i + sign.size();
          break;
        }
      }
    }
    Token token{type, i, end, at_line, s.substr(i, end - i)};
    token.space_before = i > 0 && std::isspace(static_cast<unsigned char>(s[i - 1]));
    token.space_after = end < s.size() && std::isspace(static_cast<unsigned char>(s[end]));
    out.push_back(token);
    i = end;
  }
  return out;
}

const std::map<std::string, std::string> kSwapped = {{"+", "-"},   {"-", "+"},   {"*", "/"},   {"/", "*"},   {"%", "/"},   {"&", "|"},
                                                     {"|", "&"},   {"<", "<="},  {"<=", "<"},  {">", ">="},  {">=", ">"},  {"==", "!="},
                                                     {"!=", "=="}, {"&&", "||"}, {"||", "&&"}, {"<<", ">>"}, {">>", "<<"}, {"+=", "-="},
                                                     {"-=", "+="}, {"*=", "/="}, {"/=", "*="}};
const std::map<std::string, std::string> kFunctions = {{"min", "max"},
                                                       {"max", "min"},
                                                       {"minimum", "maximum"},
                                                       {"maximum", "minimum"},
                                                       {"amax", "amin"},
                                                       {"amin", "amax"},
                                                       {"argmax", "argmin"},
                                                       {"argmin", "argmax"},
                                                       {"exp", "log"},
                                                       {"log", "exp"},
                                                       {"log1p", "expm1"},
                                                       {"expm1", "log1p"},
                                                       {"sqrt", "abs"},
                                                       {"floor", "ceil"},
                                                       {"ceil", "floor"},
                                                       {"any_of", "all_of"},
                                                       {"all_of", "any_of"},
                                                       {"lower_bound", "upper_bound"},
                                                       {"upper_bound", "lower_bound"},
                                                       {"triu", "tril"},
                                                       {"tril", "triu"},
                                                       {"zeros", "ones"},
                                                       {"ones", "zeros"},
                                                       {"zeros_like", "ones_like"},
                                                       {"ones_like", "zeros_like"},
                                                       {"isnan", "isinf"},
                                                       {"isfinite", "isnan"},
                                                       {"sum", "mean"},
                                                       {"mean", "sum"},
                                                       {"front", "back"},
                                                       {"back", "front"},
                                                       {"clamp_min", "clamp_max"},
                                                       {"clamp_max", "clamp_min"},
                                                       {"ge", "gt"},
                                                       {"gt", "ge"},
                                                       {"le", "lt"},
                                                       {"lt", "le"},
                                                       {"eq", "ne"},
                                                       {"ne", "eq"},
                                                       {"mul_", "div_"},
                                                       {"div_", "mul_"},
                                                       {"mul", "div"},
                                                       {"div", "mul"},
                                                       {"add_", "sub_"},
                                                       {"sub_", "add_"},
                                                       {"add", "sub"},
                                                       {"sub", "add"},
                                                       {"sin", "cos"},
                                                       {"cos", "sin"}};
/// Constants, operators and functions in such lines affect the division of work and memory, not results.
const std::vector<std::string> kOnlySpeed = {"kGrain", "grain", "kTile", "kChunk", "reserve(", "prefetch"};

class Source {
 public:
  Source(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)), tokens_(tokens_of(text_)) {
    match_brackets();
    find_quiet();
  }

  std::vector<Fault> faults() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!quiet_[i]) at(i);
    }
    return std::move(faults_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const std::string& text(std::size_t i) const {
    static const std::string none;
    return i < tokens_.size() ? tokens_[i].text : none;
  }
  bool is_word(std::size_t i) const { return i < tokens_.size() && tokens_[i].type == Token::kWord; }
  bool spaced(std::size_t i) const { return tokens_[i].space_before && tokens_[i].space_after; }
  /// A value ends here, so that a following operator is binary.
  bool ends_value(std::size_t i) const {
    if (i >= tokens_.size() || text(i) == "return") return false;
    return tokens_[i].type != Token::kSign || text(i) == ")" || text(i) == "]" || text(i) == "}";
  }

  void match_brackets() {
    match_.assign(tokens_.size(), kNone);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto& t = text(i);
      if (t == "(" || t == "[" || t == "{") open.push_back(i);
      if ((t == ")" || t == "]" || t == "}") && !open.empty()) {
        match_[i] = open.back();
        match_[open.back()] = i;
        open.pop_back();
      }
    }
  }

  void find_quiet() {
    quiet_.assign(tokens_.size(), false);
    const auto hush = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i <= end && i < tokens_.size(); ++i) quiet_[i] = true;
    };
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto& t = text(i);
      if (t == "throw" || t == "using" || t == "static_assert" || t == "namespace") {
        std::size_t end = i;
        while (end < tokens_.size() && text(end) != ";" && !(t == "namespace" && text(end) == "{")) {
          end = match_[end] != kNone && match_[end] > end ? match_[end] + 1 : end + 1;
        }
        hush(i, end);
      } else if (t == "Error" || t == "format" || t == "TORCH_CHECK" || t == "say" || t == "note") {
        if (text(i + 1) == "(" && match_[i + 1] != kNone) hush(i, match_[i + 1]);
      } else if ((t == "template" || is_word(i)) && text(i + 1) == "<" && (t == "template" || !tokens_[i + 1].space_before)) {
        int depth = 0;
        for (std::size_t j = i + 1; j < tokens_.size() && text(j) != ";" && text(j) != "{"; ++j) {
          depth += text(j) == "<" ? 1 : text(j) == ">" ? -1 : text(j) == ">>" ? -2 : 0;
          if (depth <= 0) {
            hush(i + 1, j);
            break;
          }
        }
      }
    }
  }

  std::string code_at(std::size_t begin) const {
    std::size_t from = text_.rfind('\n', begin);
    from = from == std::string::npos ? 0 : from + 1;
    std::string line = text_.substr(from, text_.find('\n', from) - from);
    line.erase(0, line.find_first_not_of(' '));
    for (char& c : line) c = c == '\t' ? ' ' : c;
    return line;
  }

  void add(const std::string& kind, std::size_t first, std::size_t last, const std::string& to) {
    const std::size_t begin = tokens_[first].begin, end = tokens_[last].end;
    std::string name = file_ + ":" + std::to_string(tokens_[first].line) + ":" + kind;
    const int count = ++counts_[name];
    if (count > 1) name += "." + std::to_string(count);
    std::string from = text_.substr(begin, end - begin);
    // In one line, for readable lists.
    std::string shown;
    for (const char c : from) {
      if (c != '\n' && c != '\t' && !(c == ' ' && !shown.empty() && shown.back() == ' ')) {
        shown += c;
      } else if (!shown.empty() && shown.back() != ' ') {
        shown += ' ';
      }
    }
    faults_.push_back({name, shown, to, code_at(begin), begin, end});
  }

  void at(std::size_t i) {
    const Token& token = tokens_[i];
    if (token.type != Token::kText && !only_speed(token)) value(i);
    if (begins_statement(i)) statement(i);
  }

  bool only_speed(const Token& token) const {
    const std::string line = code_at(token.begin);
    return std::any_of(kOnlySpeed.begin(), kOnlySpeed.end(), [&](const auto& word) { return line.find(word) != std::string::npos; });
  }

  void value(std::size_t i) {
    const Token& token = tokens_[i];
    const auto& t = token.text;
    if (token.type == Token::kNumber) return constant(i);
    if (token.type == Token::kWord) {
      if (t == "true") add("bool", i, i, "false");
      if (t == "false") add("bool", i, i, "true");
      const auto other = kFunctions.find(t);
      if (other != kFunctions.end() && (text(i + 1) == "(" || (text(i + 1) == "<" && !tokens_[i + 1].space_before)) && i > 0 &&
          (text(i - 1) == "::" || text(i - 1) == "." || text(i - 1) == "->"))
        add("function", i, i, other->second);
    } else if (t == "!" && !token.space_after) {
      add("logic", i, i, "");
    } else if (t == "-" && !token.space_after && i > 0 && !ends_value(i - 1)) {
      add("minus", i, i, "");
    } else if (spaced(i) && i > 0 && ends_value(i - 1) && text(i - 1) != "operator") {
      const auto other = kSwapped.find(t);
      if (other != kSwapped.end()) {
        const bool bound = t == "<" || t == "<=" || t == ">" || t == ">=";
        const bool logic = t == "&&" || t == "||" || t == "==" || t == "!=";
        add(bound ? "bound" : logic ? "logic" : "operator", i, i, other->second);
      }
    }
  }

  void constant(std::size_t i) {
    const auto& t = text(i);
    const bool plain = std::all_of(t.begin(), t.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
    if (plain && t.size() < 10) {
      const long value = std::strtol(t.c_str(), nullptr, 10);
      add("constant", i, i, std::to_string(value >= 16 ? 2 * value : value + 1));
      if (value >= 1) add("constant", i, i, std::to_string(value - 1));
    } else if (t.find("0x") == 0 || t.find('\'') != std::string::npos || plain) {
      add("constant", i, i, "(" + t + " + 1)");
    } else {
      const bool zero = t.find_first_of("123456789") == std::string::npos;
      add("constant", i, i, zero ? "(1 + " + t + ")" : "(2 * " + t + ")");
    }
  }

  /// The `)` of if, for, while.
  bool closes_condition(std::size_t i) const {
    if (text(i) != ")" || match_[i] == kNone || match_[i] == 0) return false;
    std::size_t before = match_[i] - 1;
    if (text(before) == "constexpr" && before > 0) --before;
    return text(before) == "if" || text(before) == "for" || text(before) == "while";
  }

  bool begins_statement(std::size_t i) const {
    if (i == 0) return false;
    const auto& before = text(i - 1);
    return before == ";" || before == "{" || before == "}" || before == "else" || closes_condition(i - 1);
  }

  /// A call or an assignment that ends in `;` may be dropped, and so may a conditional exit from a loop or function.
  void statement(std::size_t i) {
    std::size_t end = i;
    while (end < tokens_.size() && text(end) != ";" && text(end) != "}" && text(end) != ")" && text(end) != "]") {
      if (match_[end] != kNone && match_[end] > end) end = match_[end];
      ++end;
    }
    if (text(end) != ";") return;
    if (text(i) == "return" || text(i) == "break" || text(i) == "continue") {
      if (closes_condition(i - 1) || (text(i - 1) == "{" && i > 1 && closes_condition(i - 2))) add("drop", i, end - 1, "");
      return;
    }
    static const std::set<std::string> not_these = {"if",     "for",     "while",  "do",      "switch",   "case",    "default", "else",
                                                    "public", "private", "delete", "typedef", "struct",   "class",   "enum",    "goto",
                                                    "const",  "static",  "auto",   "friend",  "explicit", "virtual", "try",     "catch"};
    if (not_these.count(text(i))) return;
    for (const auto& word : {"reserve", "prefetch"}) {
      for (std::size_t j = i; j < end; ++j) {
        if (text(j) == word) return;
      }
    }
    std::size_t j = i;
    while (text(j) == "*" || text(j) == "++" || text(j) == "--") ++j;
    bool call = j > i && text(i) != "*";
    if (text(j) == "(" && match_[j] != kNone) {
      j = match_[j] + 1;
    } else if (is_word(j)) {
      ++j;
    } else {
      return;
    }
    // The operand: names, members, elements, calls.
    while (j < end) {
      if ((text(j) == "::" || text(j) == "." || text(j) == "->") && is_word(j + 1)) {
        j += 2;
        if (text(j - 1) == "template") ++j;
      } else if ((text(j) == "(" || text(j) == "[") && match_[j] != kNone) {
        call = text(j) == "(";
        j = match_[j] + 1;
      } else if (text(j) == "<" && !tokens_[j].space_before) {
        int depth = 0;
        for (; j < end; ++j) {
          depth += text(j) == "<" ? 1 : text(j) == ">" ? -1 : text(j) == ">>" ? -2 : 0;
          if (depth <= 0) break;
        }
        ++j;
      } else {
        break;
      }
    }
    static const std::set<std::string> assigning = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
    if ((j == end && call) || (j < end && assigning.count(text(j)))) add("drop", i, end - 1, "");
  }

  std::string file_, text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> match_;
  std::vector<bool> quiet_;
  std::map<std::string, int> counts_;
  std::vector<Fault> faults_;
};

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::cerr << "faults: cannot read '" << file << "'\n";
    std::exit(2);
  }
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// FNV-1a with a final mix: an order that depends only on the seed and the names.
std::uint64_t place_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  hash ^= hash >> 32;
  hash *= 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 29;
}

int plant(const std::string& name) {
  const std::string file = name.substr(0, name.find(':'));
  const std::string source = read(file);
  for (const auto& fault : Source(file, source).faults()) {
    if (fault.name != name) continue;
    std::cout << source.substr(0, fault.begin) << fault.to << source.substr(fault.end);
    return 0;
  }
  std::cerr << "faults: there is no fault '" << name << "'\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  std::string seed = "1";
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--plant" && i + 1 < argc) return plant(argv[i + 1]);
    if (argument == "--seed" && i + 1 < argc) {
      seed = argv[++i];
    } else if (argument == "--count" && i + 1 < argc) {
      count = std::strtoul(argv[++i], nullptr, 10);
    } else {
      files.push_back(argument);
    }
  }
  // By folder, in the seed's order.
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::size_t>>> folders;
  std::vector<Fault> all;
  for (const auto& file : files) {
    for (auto& fault : Source(file, read(file)).faults()) {
      folders[file.substr(0, file.rfind('/'))].emplace_back(place_of(seed + ":" + fault.name), all.size());
      all.push_back(std::move(fault));
    }
  }
  std::set<std::size_t> chosen;
  if (count == 0 || count >= all.size()) {
    for (std::size_t i = 0; i < all.size(); ++i) chosen.insert(i);
  } else {
    for (auto& folder : folders) std::sort(folder.second.begin(), folder.second.end());
    for (std::size_t round = 0; chosen.size() < count; ++round) {
      for (const auto& folder : folders) {
        if (round < folder.second.size() && chosen.size() < count) chosen.insert(folder.second[round].second);
      }
    }
  }
  for (const std::size_t i : chosen) {
    std::cout << all[i].name << '\t' << all[i].from << '\t' << all[i].to << '\t' << all[i].code << '\n';
  }
  return 0;
}
