// Composition without a schema, as in Hydra.
#include "core/config/compose.h"

#include "catch.h"
#include "config/support.h"
#include "core/base/text.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

/// A small config tree; `main.yaml` is written by each case.
std::vector<File> tree(const std::string& primary) {
  return {
      {"main.yaml", primary},
      {"base.yaml", "from: base\nonly_base: 1\n"},
      {"configs/db/mysql.yaml", "driver: mysql\nport: 3306\n"},
      {"configs/db/postgres.yaml", "driver: postgres\nport: 5432\nuser: pg\n"},
      {"configs/db/extended.yaml", "defaults:\n  - mysql\n  - _self_\nport: 1\n"},
      {"configs/db/global.yaml", "# @package _global_\nglobal_key: 1\n"},
      {"configs/db/header.yaml", "# @package some.where\nh: 1\n"},
      {"configs/server/apache.yaml", "defaults:\n  - /db: mysql\n  - log: plain\nname: apache\n"},
      {"configs/server/nginx.yaml", "defaults:\n  - /db@backup: mysql\nname: nginx\n"},
      {"configs/server/here.yaml", "defaults:\n  - /db@_here_: mysql\nname: here\n"},
      {"configs/server/root.yaml", "defaults:\n  - /db@_global_.store: mysql\nname: root\n"},
      {"configs/server/into.yaml", "defaults:\n  - /db/mysql@\n  - log/plain@\n  - /db@: postgres\nname: into\n"},
      {"configs/server/empty.yaml", ""},
      {"configs/server/log/plain.yaml", "format: plain\n"},
      {"configs/server/log/json.yaml", "format: json\n"},
      {"configs/db_server/mysql_apache.yaml", "tuned: mysql_apache\n"},
      {"configs/db_server/postgres_apache.yaml", "tuned: postgres_apache\n"},
      {"configs/experiment/fast.yaml", "# @package _global_\ndefaults:\n  - override /db: postgres\nspeed: fast\n"},
      {"configs/experiment/both.yaml",
       "# @package _global_\ndefaults:\n  - override /db: postgres\n  - override /server/log@server.log: json\n"},
      {"configs/loop/a.yaml", "defaults: [b]\n"},
      {"configs/loop/b.yaml", "defaults: [a]\n"},
      {"configs/flags/x.yaml", "x: 1\nshared: x\n"},
      {"configs/flags/y.yaml", "y: 1\nshared: y\n"},
  };
}

Composition compose(const std::vector<std::string>& overrides) {
  return Composer({"configs"}).compose("main.yaml", {{"command line", overrides}});
}

struct Case {
  const char* primary;
  std::vector<std::string> overrides;
  const char* result;  // show() of the config, or the error
};

void check_all(const std::vector<Case>& cases) {
  for (const auto& c : cases) {
    INFO(c.primary);
    INFO("overrides: " << join(c.overrides, " "));
    const TempTree files(tree(c.primary));
    std::string got;
    try {
      got = show(compose(c.overrides).config);
    } catch (const Error& e) {
      got = e.what();
    }
    CHECK(got == c.result);
  }
}

}  // namespace

TEST_CASE("defaults lists compose in order") {
  check_all({
      {"a: 1\n", {}, R"({"a": 1})"},
      {"", {}, "{}"},
      {"defaults: []\na: 1\n", {}, R"({"a": 1})"},
      {"defaults: [_self_]\na: 1\n", {}, R"({"a": 1})"},
      {"defaults:\n  - db: mysql\na: 1\n", {}, R"({"db": {"driver": "mysql", "port": 3306}, "a": 1})"},
      {"defaults:\n  - /db: mysql\n", {}, R"({"db": {"driver": "mysql", "port": 3306}})"},
      // without _self_ the file's own content comes last and wins
      {"defaults:\n  - db: mysql\ndb: {port: 1}\n", {}, R"({"db": {"driver": "mysql", "port": 1}})"},
      {"defaults:\n  - db: mysql\n  - _self_\ndb: {port: 1}\n", {}, R"({"db": {"driver": "mysql", "port": 1}})"},
      {"defaults:\n  - _self_\n  - db: mysql\ndb: {port: 1}\n", {}, R"({"db": {"port": 3306, "driver": "mysql"}})"},
      // configs by path
      {"defaults: [base]\nfrom: main\n", {}, R"({"from": "main", "only_base": 1})"},
      {"defaults: [_self_, base]\nfrom: main\n", {}, R"({"from": "base", "only_base": 1})"},
      {"defaults: [db/mysql]\n", {}, R"({"db": {"driver": "mysql", "port": 3306}})"},
      {"defaults: [/db/mysql@x.y]\n", {}, R"({"x": {"y": {"driver": "mysql", "port": 3306}}})"},
      {"defaults:\n  - db: extended\n", {}, R"({"db": {"driver": "mysql", "port": 1}})"},
      // lists, null, optional
      {"defaults:\n  - flags: [x, y]\n", {}, R"({"flags": {"x": 1, "shared": "y", "y": 1}})"},
      {"defaults:\n  - flags: [y, x]\n", {}, R"({"flags": {"y": 1, "shared": "x", "x": 1}})"},
      {"defaults:\n  - db: null\na: 1\n", {}, R"({"a": 1})"},
      {"defaults:\n  - optional db: nosuch\na: 1\n", {}, R"({"a": 1})"},
      {"defaults:\n  - optional db: mysql\n", {}, R"({"db": {"driver": "mysql", "port": 3306}})"},
      {"defaults:\n  - optional nosuch/config\na: 1\n", {}, R"({"a": 1})"},
      {"defaults:\n  - server: empty\n", {}, R"({"server": {}})"},
      // nested groups, relative and absolute
      {"defaults:\n  - server/log: json\n", {}, R"({"server": {"log": {"format": "json"}}})"},
      {"defaults:\n  - server: log/json\n", {}, R"({"server": {"log": {"format": "json"}}})"},
      {"defaults:\n  - server: apache\n",
       {},
       R"({"server": {"db": {"driver": "mysql", "port": 3306}, "log": {"format": "plain"}, "name": "apache"}})"},
      // merging
      {"defaults:\n  - db: mysql\ndb: null\n", {}, R"({"db": null})"},
      {"defaults:\n  - db: mysql\ndb: {port: '?\?\?'}\n", {}, R"({"db": {"driver": "mysql", "port": 3306}})"},
      {"defaults:\n  - db: mysql\ndb: {port: [1, 2]}\n", {}, R"({"db": {"driver": "mysql", "port": [1, 2]}})"},
      {"defaults: [base]\nonly_base: {a: 1}\n", {}, R"({"from": "base", "only_base": {"a": 1}})"},
  });
}

TEST_CASE("packages place the content of options") {
  check_all({
      {"defaults:\n  - db@store: mysql\n", {}, R"({"store": {"driver": "mysql", "port": 3306}})"},
      {"defaults:\n  - db@a.b: mysql\n", {}, R"({"a": {"b": {"driver": "mysql", "port": 3306}}})"},
      {"defaults:\n  - db@_global_: mysql\n", {}, R"({"driver": "mysql", "port": 3306})"},
      {"defaults:\n  - db@: mysql\n", {}, R"({"driver": "mysql", "port": 3306})"},
      {"defaults:\n  - db: mysql\n  - db@src: postgres\n",
       {},
       R"({"db": {"driver": "mysql", "port": 3306}, "src": {"driver": "postgres", "port": 5432, "user": "pg"}})"},
      {"defaults:\n  - db: global\n", {}, R"({"global_key": 1})"},
      {"defaults:\n  - db: header\n", {}, R"({"some": {"where": {"h": 1}}})"},
      {"defaults:\n  - db@x: header\n", {}, R"({"x": {"h": 1}})"},
      // '@' alone is the including config's own package
      {"defaults:\n  - server: into\n",
       {},
       R"({"server": {"driver": "postgres", "port": 5432, "format": "plain", "user": "pg", "name": "into"}})"},
      {"defaults:\n  - server@web: into\n",
       {"db@web=mysql"},
       R"({"web": {"driver": "mysql", "port": 3306, "format": "plain", "name": "into"}})"},
      // the header of the primary file moves all that it brings; what the command line adds stays absolute
      {"# @package a.b\ndefaults:\n  - db: mysql\nx: 1\n", {}, R"({"a": {"b": {"db": {"driver": "mysql", "port": 3306}, "x": 1}}})"},
      {"# @package a\ndefaults:\n  - db: mysql\nx: 1\n",
       {"db@a.db=postgres", "a.x=2", "+flags=x"},
       R"({"a": {"db": {"driver": "postgres", "port": 5432, "user": "pg"}, "x": 2}, "flags": {"x": 1, "shared": "x"}})"},
      {"# @package _global_\nx: 1\n", {}, R"({"x": 1})"},
      // relative to the including config, so that moving it moves what it includes
      {"defaults:\n  - server: nginx\n", {}, R"({"server": {"backup": {"driver": "mysql", "port": 3306}, "name": "nginx"}})"},
      {"defaults:\n  - server@web: nginx\n", {}, R"({"web": {"backup": {"driver": "mysql", "port": 3306}, "name": "nginx"}})"},
      {"defaults:\n  - server: here\n", {}, R"({"server": {"driver": "mysql", "port": 3306, "name": "here"}})"},
      {"defaults:\n  - server: root\n", {}, R"({"store": {"driver": "mysql", "port": 3306}, "server": {"name": "root"}})"},
  });
}

TEST_CASE("group overrides change the composition") {
  const std::string mysql = R"({"db": {"driver": "mysql", "port": 3306}})";
  const std::string postgres = R"({"db": {"driver": "postgres", "port": 5432, "user": "pg"}})";
  check_all({
      {"defaults:\n  - db: mysql\n", {"db=postgres"}, postgres.c_str()},
      {"defaults:\n  - db: mysql\n", {"db=postgres", "db=mysql"}, mysql.c_str()},
      {"defaults:\n  - db: '?\?\?'\n", {"db=mysql"}, mysql.c_str()},
      {"defaults:\n  - db: null\n", {"db=mysql"}, mysql.c_str()},
      {"a: 1\n", {"+db=mysql"}, R"({"a": 1, "db": {"driver": "mysql", "port": 3306}})"},
      {"a: 1\n", {"+db@x=mysql"}, R"({"a": 1, "x": {"driver": "mysql", "port": 3306}})"},
      {"a: 1\n", {"+db@=mysql"}, R"({"a": 1, "driver": "mysql", "port": 3306})"},
      {"defaults:\n  - db: mysql\n  - db@src: mysql\n",
       {"db@src=postgres"},
       R"({"db": {"driver": "mysql", "port": 3306}, "src": {"driver": "postgres", "port": 5432, "user": "pg"}})"},
      {"defaults:\n  - db@: mysql\n", {"db@=postgres"}, R"({"driver": "postgres", "port": 5432, "user": "pg"})"},
      {"defaults:\n  - db@_global_: mysql\n", {"db@_global_=postgres"}, R"({"driver": "postgres", "port": 5432, "user": "pg"})"},
      {"defaults:\n  - flags: x\n", {"flags=[y,x]"}, R"({"flags": {"y": 1, "shared": "x", "x": 1}})"},
      {"defaults:\n  - server: apache\n",
       {"db@server.db=postgres", "server/log=json"},
       R"({"server": {"db": {"driver": "postgres", "port": 5432, "user": "pg"}, "log": {"format": "json"}, "name": "apache"}})"},
      {"defaults:\n  - db: mysql\na: 1\n", {"~db"}, R"({"a": 1})"},
      {"defaults:\n  - db: mysql\na: 1\n", {"~db=mysql"}, R"({"a": 1})"},
      {"defaults: [base]\na: 1\n", {"~base"}, R"({"a": 1})"},
      {"defaults:\n  - db: mysql\n", {"db={port: 5}"}, R"({"db": {"driver": "mysql", "port": 5}})"},
      {"defaults:\n  - db: mysql\n", {"db=postgres", "db.port=1"}, R"({"db": {"driver": "postgres", "port": 1, "user": "pg"}})"},
      {"defaults:\n  - db: mysql\n", {"db.port=1", "db=postgres"}, R"({"db": {"driver": "postgres", "port": 1, "user": "pg"}})"},
  });
}

TEST_CASE("option names may end in .yaml") {
  const std::string postgres = R"({"db": {"driver": "postgres", "port": 5432, "user": "pg"}})";
  check_all({
      {"defaults:\n  - db: mysql\n", {"db=postgres.yaml"}, postgres.c_str()},
      {"defaults:\n  - db: postgres.yaml\n", {}, postgres.c_str()},
      {"defaults:\n  - db/postgres.yaml\n", {}, postgres.c_str()},
      {"defaults:\n  - db/postgres.yaml@db\n", {}, postgres.c_str()},
      {"defaults:\n  - db: [postgres.yaml]\n", {}, postgres.c_str()},
      {"defaults:\n  - db: mysql\n  - override db: postgres.yaml\n", {}, postgres.c_str()},
      {"a: 1\n", {"+db=mysql.yaml", "~db=mysql"}, R"({"a": 1})"},
      {"defaults:\n  - db: mysql\na: 1\n", {"~db=mysql.yaml"}, R"({"a": 1})"},
      {"defaults:\n  - db: mysql\n",
       {"db=nosuch.yaml"},
       "'nosuch' is not an option of the group 'db'\n  at: command line (db=nosuch.yaml)\n"
       "  why: looked in ., configs; options: extended, global, header, mysql, postgres\n  try: choose one of the options"},
  });
  const TempTree files(tree("defaults:\n  - db: mysql\n"));
  CHECK(compose({"db=postgres.yaml"}).choices == std::vector<std::pair<std::string, std::string>>{{"db", "postgres"}});
}

TEST_CASE("override items in a file's defaults list change options") {
  check_all({
      {"defaults:\n  - db: mysql\n  - experiment: fast\n",
       {},
       R"({"db": {"driver": "postgres", "port": 5432, "user": "pg"}, "speed": "fast"})"},
      {"defaults:\n  - db: mysql\n",
       {"+experiment=fast"},
       R"({"db": {"driver": "postgres", "port": 5432, "user": "pg"}, "speed": "fast"})"},
      // the command line beats them
      {"defaults:\n  - db: mysql\n  - experiment: fast\n", {"db=mysql"}, R"({"db": {"driver": "mysql", "port": 3306}, "speed": "fast"})"},
      // the last in depth-first order wins
      {"defaults:\n  - db: mysql\n  - experiment: fast\n  - override db: extended\n",
       {},
       R"({"db": {"driver": "mysql", "port": 1}, "speed": "fast"})"},
      {"defaults:\n  - db: mysql\n  - override db: postgres\n", {}, R"({"db": {"driver": "postgres", "port": 5432, "user": "pg"}})"},
      {"defaults:\n  - db: mysql\n  - override db: null\na: 1\n", {}, R"({"a": 1})"},
      {"defaults:\n  - db: mysql\n  - server: apache\n  - experiment: both\n",
       {},
       R"({"db": {"driver": "postgres", "port": 5432, "user": "pg"}, "server": {"db": {"driver": "mysql", "port": 3306}, "log": {"format": "json"}, "name": "apache"}})"},
      {"defaults:\n  - experiment: fast\n  - db: mysql\n",
       {},
       "there is nothing to override for 'db'\n  at: configs/experiment/fast.yaml:3:19\n  why: no earlier item of the defaults lists has "
       "this group\n  try: move the item that chooses it before this file"},
      {"defaults:\n  - override db: mysql\n  - server: empty\n",
       {},
       "'server' comes after an override\n  at: main.yaml:3:5\n  why: overrides must come last in the defaults list\n  try: move '- "
       "override db: ...' after it"},
  });
}

TEST_CASE("defaults lists interpolate option names") {
  check_all({
      {"defaults:\n  - db: mysql\n  - server@w: apache\n  - db_server: ${db}_${server@w}\n",
       {},
       R"({"db": {"driver": "mysql", "port": 3306}, "w": {"db": {"driver": "mysql", "port": 3306}, "log": {"format": "plain"}, "name": "apache"}, "db_server": {"tuned": "mysql_apache"}})"},
      {"defaults:\n  - db_server: ${db}_apache\n  - db: mysql\n",
       {"db=postgres"},
       R"({"db_server": {"tuned": "postgres_apache"}, "db": {"driver": "postgres", "port": 5432, "user": "pg"}})"},
      {"defaults:\n  - db: mysql\n  - db_server: ${ db }_apache\n",
       {},
       R"({"db": {"driver": "mysql", "port": 3306}, "db_server": {"tuned": "mysql_apache"}})"},
      {"defaults:\n  - db: mysql\n  - optional db_server: ${db}_nginx\n", {}, R"({"db": {"driver": "mysql", "port": 3306}})"},
      {"defaults:\n  - db: mysql\n  - db_server/${db}_apache\n",
       {},
       R"({"db": {"driver": "mysql", "port": 3306}, "db_server": {"tuned": "mysql_apache"}})"},
      // one may unlock another
      {"defaults:\n  - db_server: ${db@c}_apache\n  - db@c: ${db}\n  - db: postgres\n",
       {},
       R"({"db_server": {"tuned": "postgres_apache"}, "c": {"driver": "postgres", "port": 5432, "user": "pg"}, "db": {"driver": "postgres", "port": 5432, "user": "pg"}})"},
      {"defaults:\n  - db: mysql\n  - db_server: ${dbb}_apache\n",
       {},
       "'${dbb}_apache' cannot be resolved in a defaults list\n  at: main.yaml:3:16\n"
       "  why: only the choice of a group of the defaults lists can be interpolated here\n  try: known: db"},
      {"defaults:\n  - db: mysql\n  - flags: ['${db}', x]\n",
       {},
       "the list of options of 'flags' cannot be interpolated\n  at: main.yaml:3:12\n  try: write the names without interpolations"},
      {"defaults:\n  - db: mysql\n  - experiment: f${fast}\n",
       {},
       "'f${fast}' cannot be resolved in a defaults list\n  at: main.yaml:3:17\n"
       "  why: only the choice of a group of the defaults lists can be interpolated here\n  try: known: db"},
  });
  const TempTree files{{"main.yaml", "defaults:\n  - db: x\n  - which: fast\n  - exp: ${which}\n"},
                       {"configs/db/x.yaml", "a: 1\n"},
                       {"configs/which/fast.yaml", ""},
                       {"configs/exp/fast.yaml", "defaults:\n  - override /db: x\n"}};
  CHECK(error_of([] { compose({}); }) ==
        "'override db@exp.db' is not allowed here\n  at: configs/exp/fast.yaml:2:19\n  why: this file was chosen by an interpolation, "
        "which is resolved too late for overrides\n  try: choose the file by name, without an interpolation");
}

TEST_CASE("mistakes in defaults lists are reported") {
  check_all({
      {"defaults:\n  - db: mysq\n",
       {},
       "'mysq' is not an option of the group 'db'\n  at: main.yaml:2:9\n"
       "  why: looked in ., configs; options: extended, global, header, mysql, postgres\n  try: did you mean 'mysql'?"},
      {"defaults:\n  - db: mysql\n",
       {"db=postgress"},
       "'postgress' is not an option of the group 'db'\n  at: command line (db=postgress)\n"
       "  why: looked in ., configs; options: extended, global, header, mysql, postgres\n  try: did you mean 'postgres'?"},
      {"defaults:\n  - db: zzzzzzzz\n",
       {},
       "'zzzzzzzz' is not an option of the group 'db'\n  at: main.yaml:2:9\n"
       "  why: looked in ., configs; options: extended, global, header, mysql, postgres\n  try: choose one of the options"},
      {"defaults:\n  - nosuch: x\n",
       {},
       "there is no config group 'nosuch'\n  at: main.yaml:2:13\n  why: looked in ., configs\n"
       "  try: choices: db, db_server, experiment, flags, kernel, loop, net, server, voice, weights"},
      {"defaults: [bass]\n",
       {},
       "there is no config 'bass'\n  at: main.yaml:1:12\n  why: looked in ., configs\n  try: did you mean 'base'?"},
      {"defaults: [db/mysqll]\n",
       {},
       "there is no config 'db/mysqll'\n  at: main.yaml:1:12\n  why: looked in ., configs\n  try: did you mean 'mysql'?"},
      {"defaults:\n  - db: '?\?\?'\n",
       {},
       "the group 'db' needs a choice\n  at: main.yaml:2:9\n  why: options: extended, global, header, mysql, postgres\n"
       "  try: add db=OPTION"},
      {"defaults:\n  - flags: [x, z]\n",
       {},
       "'z' is not an option of the group 'flags'\n  at: main.yaml:2:12\n  why: looked in ., configs; options: x, y\n"
       "  try: choose one of the options"},
      {"defaults:\n  - db: mysql\n  - db: postgres\n",
       {},
       "'db' is chosen twice: mysql and postgres\n  at: main.yaml:2:9\n  why: the other choice is at main.yaml:3:9\n  try: keep one; to "
       "change the first, write '- override db: postgres'"},
      {"defaults:\n  - db: mysql\n  - db: mysql\n",
       {},
       "'db' appears more than once in the defaults lists\n  at: main.yaml:3:9\n  try: keep one of them, or give one a different package: "
       "group@package"},
      {"defaults: {db: mysql}\n",
       {},
       "'defaults' must be a list, found a map\n  at: main.yaml:1:11\n  try: write one item per line: '- group: option'"},
      {"defaults:\n  - {db: mysql, server: apache}\n",
       {},
       "an item of 'defaults' must have exactly one key\n  at: main.yaml:2:5\n  why: found {db: mysql, server: apache}\n  try: begin each "
       "item with '-': '- group: option'"},
      {"defaults:\n  - overide db: mysql\n",
       {},
       "'overide' is not a keyword of the defaults list\n  at: main.yaml:2:5\n  try: did you mean 'override'?"},
      {"defaults:\n  - db: 5\n",
       {},
       "an option must be a name, a list of names or null, found integer 5\n  at: main.yaml:2:9\n  try: quote it: '5'"},
      {"defaults:\n  - db: {a: 1}\n", {}, "an option must be a name, a list of names or null, found map {a: 1}\n  at: main.yaml:2:9"},
      {"defaults: [5]\n",
       {},
       "an item of 'defaults' cannot be an integer\n  at: main.yaml:1:12\n  why: 5\n"
       "  try: write '- group: option', '- path/to/config' or '- _self_'"},
      {"defaults: [_self_, _self_]\n",
       {},
       "'_self_' is listed twice\n  at: main.yaml:1:20\n  why: it marks the position of this file's own content\n  try: keep one of them"},
      {"defaults: [_self_@x]\n",
       {},
       "'_self_' takes no package\n  at: main.yaml:1:12\n  why: it means this file's own content\n  try: remove the '@'"},
      {"defaults:\n  - ../db: mysql\n",
       {},
       "'..' is not allowed in '../db'\n  at: main.yaml:2:5\n  why: paths start at this file's group and only go down\n  try: begin with "
       "'/' for a path from the top: '/group/option'"},
      {"defaults:\n  - db\\x: mysql\n",
       {},
       "'\\' is not allowed in 'db\\x'\n  at: main.yaml:2:5\n  why: paths are written with '/' on every system\n  try: write '/' instead"},
      {"defaults:\n  - db@a:b: mysql\n",
       {},
       "the package 'a:b' cannot be renamed here\n  at: main.yaml:2:5\n  why: group@old:new is no longer supported\n  try: write override "
       "group@package: option"},
      {"defaults: [loop/a]\n",
       {},
       "'loop/a' includes itself\n  at: configs/loop/b.yaml:1:12\n  why: through: main.yaml -> loop/a -> loop/b\n  try: remove one of the "
       "defaults"},
      {"- 1\n", {}, "'main.yaml' must contain a map, found a list\n  at: main.yaml:1:1\n  try: write 'key: value' lines"},
  });
  const TempTree files(tree("a: 1\n"));
  CHECK(error_of([] { Composer({"configs"}).compose("mian.yaml"); }) ==
        "there is no experiment file 'mian.yaml'\n  try: did you mean 'main.yaml'?");
}

TEST_CASE("mistakes in group overrides are reported") {
  const char* db = "defaults:\n  - db: mysql\n";
  check_all({
      {"a: 1\n",
       {"db=mysql"},
       "cannot change the choice of 'db'\n  at: command line (db=mysql)\n  why: the group is not in a defaults list\n  try: to add it "
       "write +db=mysql"},
      {"defaults:\n  - db@src: mysql\n",
       {"db=postgres"},
       "cannot change the choice of 'db'\n  at: command line (db=postgres)\n  why: the group is not in a defaults list\n  try: did you "
       "mean 'db@src'?; to add it write +db=postgres"},
      {db,
       {"++db=postgres"},
       "'++' cannot be used with the group 'db'\n  at: command line (++db=postgres)\n  try: write db=... to change the choice, or +db=... "
       "to add the group"},
      {db,
       {"db=5"},
       "the group 'db' takes the name of an option, found integer 5\n  at: command line (db=5)\n  why: options: extended, global, header, "
       "mysql, postgres\n  try: quote it if it is a name"},
      {db,
       {"db=null"},
       "the group 'db' takes the name of an option, found null\n  at: command line (db=null)\n  why: options: extended, global, header, "
       "mysql, postgres\n  try: to remove the group write ~db"},
      {db,
       {"db=true"},
       "the group 'db' takes the name of an option, found bool true\n  at: command line (db=true)\n  why: options: extended, global, "
       "header, mysql, postgres\n  try: quote it if it is a name"},
      {db,
       {"+db=postgres"},
       "'db' is chosen twice: mysql and postgres\n  at: main.yaml:2:9\n  why: the other choice is at command line (+db=postgres)\n  try: "
       "keep one; to change the first, write '- override db: postgres'"},
      {db,
       {"servr@x=y"},
       "there is no config group 'servr'\n  at: command line (servr@x=y)\n  why: looked in ., configs\n  try: did you mean 'server'?"},
      {db,
       {"serv/er=y"},
       "there is no config group 'serv/er'\n  at: command line (serv/er=y)\n  why: looked in ., configs\n  try: did you mean 'server'?"},
      {db, {"~server"}, "'~server' deletes nothing\n  at: command line (~server)\n  why: it is not in a defaults list\n  try: choices: db"},
      {db,
       {"~db=postgres"},
       "'~db=postgres' deletes nothing\n  at: command line (~db=postgres)\n  why: the choice is 'mysql'\n  try: write ~db"},
      {"defaults: [base]\n",
       {"~base=1"},
       "'~base' takes no value\n  at: command line (~base=1)\n  why: it deletes a config, not a group's choice\n  try: write ~base"},
      {db,
       {"db=mysql,postgres"},
       "'db=mysql,postgres' gives several values for 'db', but only one is allowed here\n  at: command line\n  why: the values are a "
       "sweep, but this is a single run\n  try: 1. to sweep over the values, put it into the 'sweep:' of the experiment or use --multirun; "
       "2. for one string with commas, quote it: \"db='mysql,postgres'\"; 3. for a list, write 'db=[mysql,postgres]'"},
      {db,
       {"db=glob(*)"},
       "'db=glob(*)' gives several values for 'db', but only one is allowed here\n  at: command line\n  why: the values are a sweep, but "
       "this is a single run\n  try: to sweep, put it into the 'sweep:' of the experiment or use --multirun; for one string, quote it: "
       "\"db='glob(*)'\""},
  });
}

TEST_CASE("value overrides change values") {
  const char* tree_text = "a: 1\nm: {x: 1, y: {z: 2}}\nl: [10, 20, {k: v}]\nn: null\nq: '?\?\?'\n";
  check_all({
      {"a: 1\n", {"a=2"}, R"({"a": 2})"},
      {"a: 1\n", {"a=null"}, R"({"a": null})"},
      {"a: 1\n", {"a=[1,2]"}, R"({"a": [1, 2]})"},
      {"a: 1\n", {"a=2", "a=3"}, R"({"a": 3})"},
      {"a: 1\n", {"a="}, R"({"a": ""})"},
      {"a: 1\n", {"a=${b}", "+b=2"}, R"({"a": "${b}", "b": 2})"},
      {"m: {x: 1, y: 2}\n", {"m={x:5}"}, R"({"m": {"x": 5, "y": 2}})"},
      {"m: {x: 1}\n", {"m=5"}, R"({"m": 5})"},
      {"l: [1, 2]\n", {"l=[3]"}, R"({"l": [3]})"},
      {"l: [1, 2]\n", {"l.1=9"}, R"({"l": [1, 9]})"},
      {"l: [{k: v}]\n", {"l.0.k=w"}, R"({"l": [{"k": "w"}]})"},
      {"q: '?\?\?'\n", {"q=1"}, R"({"q": 1})"},
      {"größe: 1\n", {"größe=ⵟ"}, R"({"größe": "ⵟ"})"},
      {"a: 1\n", {"+b=2"}, R"({"a": 1, "b": 2})"},
      {"a: 1\n", {"+b.c.d=2"}, R"({"a": 1, "b": {"c": {"d": 2}}})"},
      {"a: null\n", {"+a=2"}, R"({"a": 2})"},
      {"m: {x: 1}\n", {"+m={y:2}"}, R"({"m": {"x": 1, "y": 2}})"},
      {"m: {x: 1}\n", {"+m.y=2"}, R"({"m": {"x": 1, "y": 2}})"},
      {"l: [1]\n", {"+l=[2]"}, R"({"l": [2]})"},
      {"a: 1\n", {"++a=2"}, R"({"a": 2})"},
      {"a: 1\n", {"++b.c=2"}, R"({"a": 1, "b": {"c": 2}})"},
      {"m: {x: 1}\n", {"++m={y:2}"}, R"({"m": {"x": 1, "y": 2}})"},
      {"a: 1\nb: 2\n", {"~a"}, R"({"b": 2})"},
      {"a: 1\nb: 2\n", {"~a=1"}, R"({"b": 2})"},
      {"m: {x: 1, y: 2}\n", {"~m.x"}, R"({"m": {"y": 2}})"},
      {"l: [1, 2, 3]\n", {"~l.1"}, R"({"l": [1, 3]})"},
      {"q: '?\?\?'\na: 1\n", {"~q"}, R"({"a": 1})"},
      {"l: [1]\n", {"l=extend_list(2,3)"}, R"({"l": [1, 2, 3]})"},
      {"seeds: 0\n", {"seeds=0,1,2"}, R"({"seeds": [0, 1, 2]})"},
      {"seeds: 0\n", {"seeds=range(0,3)"}, R"({"seeds": [0, 1, 2]})"},
      {"seeds: 0\n", {"seeds=[7]"}, R"({"seeds": [7]})"},
      // errors
      {tree_text,
       {"b=1"},
       "cannot change 'b'\n  at: command line (b=1)\n  why: there is no key 'b'\n  try: keys here: a, m, l, n, q; to add it write +b=1"},
      {tree_text,
       {"m.y.zz=1"},
       "cannot change 'm.y.zz'\n  at: command line (m.y.zz=1)\n  why: 'm.y' has no key 'zz'\n  try: did you mean 'm.y.z'?; to add it write "
       "+m.y.zz=1"},
      {"m: {x: 1}\nother: {deep: {epsilon: 1}}\n",
       {"m.epsilon=1"},
       "cannot change 'm.epsilon'\n  at: command line (m.epsilon=1)\n  why: 'm' has no key 'epsilon'\n  try: 'epsilon' exists at "
       "other.deep.epsilon; to add it write +m.epsilon=1"},
      {tree_text,
       {"l.7=1"},
       "cannot change 'l.7'\n  at: command line (l.7=1)\n  why: the list 'l' has 3 items, counted from 0\n  try: to add it write +l.7=1"},
      {tree_text, {"a.b=1"}, "cannot change 'a.b'\n  at: command line (a.b=1)\n  why: 'a' is integer 1\n  try: to add it write +a.b=1"},
      {tree_text, {"n.b=1"}, "cannot change 'n.b'\n  at: command line (n.b=1)\n  why: 'n' is null\n  try: to add it write +n.b=1"},
      {tree_text,
       {"+a.b=1"},
       "'a' cannot contain 'b'\n  at: command line (+a.b=1)\n  why: it is integer 1, not a map\n  try: replace all of it: a={b: ...}"},
      {tree_text,
       {"+l.7=1"},
       "'l' has no item 7\n  at: command line (+l.7=1)\n  why: the list has 3 items\n  try: items are counted from 0"},
      {tree_text,
       {"m={w:1}"},
       "cannot change 'm.w'\n  at: command line (m={w:1})\n  why: 'm' has no key 'w'\n  try: to add it write +m={w:1}"},
      {tree_text,
       {"+a=2"},
       "cannot add 'a'\n  at: command line (+a=2)\n  why: it already exists, with the value 1\n  try: write a=2 to change it, or ++a=2 to "
       "add or change"},
      {tree_text, {"~b"}, "cannot delete 'b'\n  at: command line (~b)\n  why: there is no key 'b'\n  try: keys here: a, m, l, n, q"},
      {tree_text, {"~a=2"}, "cannot delete 'a'\n  at: command line (~a=2)\n  why: its value is 1, not 2\n  try: write ~a"},
      {tree_text,
       {"a=extend_list(1)"},
       "cannot extend 'a'\n  at: command line (a=extend_list(1))\n  why: it is an integer, not a list\n  try: write a=[...]"},
      {tree_text,
       {"a=[1"},
       "cannot read the override 'a=[1'\n  at: command line, column 5\n  why: expected ',' or ']' to close the list opened in column 3\n  "
       "try: add ']'; in a shell, put the override into quotes"},
  });
}

TEST_CASE("later layers win, and errors name the layer") {
  const TempTree files(tree("defaults:\n  - db: mysql\na: 1\nb: 1\n"));
  const Composer composer({"configs"});
  const auto c =
      composer.compose("main.yaml", {{"scale smoke", {"a=2", "b=2"}}, {"arm x", {"db=postgres", "a=3"}}, {"command line", {"a=4"}}});
  CHECK(show(c.config) == R"({"db": {"driver": "postgres", "port": 5432, "user": "pg"}, "a": 4, "b": 2})");
  CHECK(c.choices == std::vector<std::pair<std::string, std::string>>{{"db", "postgres"}});
  CHECK(c.files == std::vector<std::string>{"configs/db/postgres.yaml", "main.yaml"});
  CHECK(c.config.at("a").origin().describe() == "command line (a=4)");
  CHECK(c.config.at("b").origin().describe() == "scale smoke (b=2)");
  CHECK(c.config.find_path("db.user")->origin().describe() == "configs/db/postgres.yaml:3:7");
  CHECK(c.applied.size() == 5);
  CHECK(composer.explain(c, "a") ==
        "a = 4\n  set by: command line (a=4)\n  replaced: 3 from arm x (a=3)\n  replaced: 2 from scale smoke (a=2)\n"
        "  replaced: 1 from main.yaml:3:4\n");
  CHECK(composer.explain(c, "db.port") == "db.port = 5432\n  set by: configs/db/postgres.yaml:2:7\n  chosen by: arm x (db=postgres)\n");

  const auto d = composer.compose("main.yaml", {{"arm x", {"db=postgres"}}, {"command line", {"db=mysql"}}});
  CHECK(d.config.find_path("db.driver")->as_string() == "mysql");
  CHECK(error_of([&] {
          composer.compose("main.yaml", {{"arm x", {"nosuch=1"}}});
        }) ==
        "cannot change 'nosuch'\n  at: arm x (nosuch=1)\n  why: there is no key 'nosuch'\n  try: keys here: db, a, b; to add it write "
        "+nosuch=1");
}

TEST_CASE("the first folder of the search path that has a file wins") {
  const TempTree files{{"exp/main.yaml", "defaults:\n  - g: x\n  - h: y\n"},
                       {"exp/g/x.yaml", "from: exp\n"},
                       {"configs/g/x.yaml", "from: configs\n"},
                       {"configs/h/y.yaml", "from: configs\n"},
                       {"plugin/h/y.yaml", "from: plugin\n"},
                       {"plugin/h/z.yaml", "from: plugin\n"}};
  const Composer composer({"configs", "plugin"});
  CHECK(show(composer.compose("exp/main.yaml").config) == R"({"g": {"from": "exp"}, "h": {"from": "configs"}})");
  CHECK(show(composer.compose("exp/main.yaml", {{"command line", {"h=z"}}}).config) ==
        R"({"g": {"from": "exp"}, "h": {"from": "plugin"}})");
  CHECK(composer.options("h") == std::vector<std::string>{"y", "z"});
}

TEST_CASE("a composition carries the warnings of its files") {
  const TempTree files{{"main.yaml", "defaults:\n  - g: x\na: 017\n"}, {"configs/g/x.yaml", "t: 12:30:45\n"}};
  const auto c = compose({});
  REQUIRE(c.warnings.size() == 2);
  CHECK(c.warnings[0].find("main.yaml:3:4: '017'") == 0);
  CHECK(c.warnings[1].find("configs/g/x.yaml:1:4: '12:30:45'") == 0);
}
