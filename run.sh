#!/usr/bin/env bash
# The only entry point: sets up, builds, runs, tests.
#
#   ./run.sh EXPERIMENT [key=value ...] [options]
#   ./run.sh COMMAND ...          (./run.sh help lists the commands)
#   ./run.sh test [FOLDER ...]    ./run.sh bench [NAME ...]    ./run.sh fuzz [TARGET ...] [SECONDS]
#   ./run.sh build [PACK ...]     builds packs (folders of plugins/), or all; else what is named is built when it is first needed
#   ./run.sh docs                 makes the documentation site, build/docs/html
#   ./run.sh package              builds all of them, and makes a .deb and an archive of the program
#
# Variables: TORCH_ROOT        another LibTorch (2.x, CUDA): the folder of an unpacked LibTorch, or of Python's torch
#            YATLAB_PRESET     release (default), debug or asan; for tests also fuzz and tsan: those without LibTorch, sanitized
#            YATLAB_SETUP=skip do not look for missing packages
#            YATLAB_BUILD=skip run what is built, as it is (on a machine without a compiler, from a tree that cannot be written)
#            YATLAB_BUILD=only install and build what the command needs, and stop
set -euo pipefail
caller=$PWD
# Commands that messages propose are to be typed as this one was. Tests compare messages with `yatlab ...`.
case ${1:-} in
  test | bench | fuzz) ;;
  *) case $0 in */*) export YATLAB_CALLED_AS=$0 ;; *) export YATLAB_CALLED_AS=./$0 ;; esac ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$PWD

preset=${YATLAB_PRESET:-release}
# These two have tests and fuzz targets but no program: release's runs them.
sanitized=
case $preset in fuzz | tsan) sanitized=$preset preset=release ;; esac
use_preset() { preset=$1 build=build/$1 log=build/$1/setup.log; }
use_preset "$preset"

# Debian package, or several of which one will do (the first is installed): the file (or pattern) that shows it where there is no dpkg. Reasons
# are in docs/dependencies.md.
packages=(
  "g++:/usr/bin/g++" "cmake:/usr/bin/cmake" "ninja-build:/usr/bin/ninja"
  "libopenblas0-pthread:/usr/lib/*/openblas-pthread/libblas.so.3"
  "libyaml-cpp-dev:/usr/include/yaml-cpp/yaml.h" "libfmt-dev:/usr/include/fmt/core.h" "nlohmann-json3-dev:/usr/include/nlohmann/json.hpp"
  "libboost-program-options-dev:/usr/lib/*/libboost_program_options.*" "libboost-dev:/usr/include/boost/math/distributions/students_t.hpp"
  "libssl-dev:/usr/include/openssl/evp.h" "zlib1g-dev:/usr/include/zlib.h" "liblzma-dev:/usr/include/lzma.h"
  "libzstd-dev:/usr/include/zstd.h" "libpcre2-dev:/usr/include/pcre2.h" "libcurl4-openssl-dev|libcurl4-gnutls-dev:/usr/include/*/curl/curl.h"
  "libpng-dev:/usr/include/png.h" "libturbojpeg0-dev:/usr/include/turbojpeg.h" "libcsv-dev:/usr/include/csv.h"
  "libarchive-dev:/usr/include/archive.h" "libsqlite3-dev:/usr/include/sqlite3.h" "libgloo-dev:/usr/include/gloo/config.h"
  "libprotobuf-dev:/usr/include/google/protobuf/message_lite.h" "protobuf-compiler:/usr/bin/protoc"
  "gnuplot-nox:/usr/bin/gnuplot" "fonts-dejavu-core:/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
)
test_packages=("catch2:/usr/include/catch2")
all_test_packages=("${test_packages[@]}" "chromium:/usr/bin/chromium" "dataset-fashion-mnist:/usr/share/datasets/fashion-mnist"
  "zsh:/usr/bin/zsh" "fish:/usr/bin/fish" "doxygen:/usr/bin/doxygen"
  "texlive-latex-base:/usr/share/texlive/texmf-dist/tex/latex/tools/longtable.sty"
  "texlive-latex-recommended:/usr/share/texlive/texmf-dist/tex/latex/booktabs/booktabs.sty"
  "texlive-pictures:/usr/share/texlive/texmf-dist/tex/latex/pgf/frontendlayer/tikz.sty")
docs_packages=("doxygen:/usr/bin/doxygen")
package_packages=("dpkg-dev:/usr/bin/dpkg-shlibdeps" "file:/usr/bin/file")
bench_packages=("libbenchmark-dev:/usr/include/benchmark/benchmark.h")
clang_packages=("clang:/usr/bin/clang++" "libclang-rt-dev:/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*")

# Completion uses the existing program and never builds one.
if [ "${1:-}" = complete ]; then
  cd "$caller"
  [ -x "$root/$build/bin/yatlab" ] || exit 0
  exec "$root/$build/bin/yatlab" "$@"
fi

say() { printf '%s\n' "$*" >&2; }
# interrupted STATUS: after Ctrl-C or a signal. Finished objects are kept, and Ninja removes unfinished ones.
interrupted() {
  trap 'exit 130' INT
  trap 'exit 143' TERM
  local job
  for job in $(jobs -p); do kill -s TERM "$job" 2>/dev/null || true; done
  wait 2>/dev/null || true
  say "interrupted; what is built is kept, and the same command continues from there"
  exit "$1"
}
# logged COMMAND...: its output goes to the log. It runs in the background, as this script would otherwise handle a signal only after it ended.
logged() {
  "$@" >>"$log" 2>&1 &
  wait $!
}
fail() {
  say "error: $1"
  say "  log: $log"
  tail -n 15 "$log" >&2
  exit 2
}

# LibTorch: TORCH_ROOT, else Debian's, else the Torch of an active Python.
torch_arguments=()
find_torch() {
  if [ -n "${TORCH_ROOT:-}" ]; then
    torch_arguments=("-DCMAKE_PREFIX_PATH=$TORCH_ROOT")
  elif [ -n "${VIRTUAL_ENV:-}${CONDA_PREFIX:-}" ] && torch=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)' 2>/dev/null); then
    torch_arguments=("-DCMAKE_PREFIX_PATH=$torch")
  else
    packages+=("libtorch-dev:/usr/include/torch/csrc/api/include/torch/torch.h")
  fi
}

# not_installed PACKAGE...: packages that dpkg has neither completely installed for this machine's architecture nor provided by another package.
# Files are a weaker test: headers of several packages share a folder.
not_installed() {
  dpkg-query -W -f '${db:Status-Status}\t${Architecture}\t${Package}, ${Provides}\n' 2>/dev/null |
    awk -F '\t' -v wanted="$*" -v native="$(dpkg --print-architecture)" '
      $1 == "installed" && ($2 == native || $2 == "all") {
        n = split($3, names, /, */)
        for (i = 1; i <= n; i++) { sub(/ .*/, "", names[i]); there[names[i]] = 1 }
      }
      END {
        n = split(wanted, packages, / /)
        for (i = 1; i <= n; i++) {
          k = split(packages[i], choices, /\|/)
          found = 0
          for (j = 1; j <= k; j++) if (choices[j] in there) found = 1
          if (!found) print choices[1]
        }
      }'
}

install_packages() {
  [ "${YATLAB_SETUP:-}" = skip ] && return
  local missing=() entry
  if [ "$(dpkg-query -W -f '${db:Status-Status}' dpkg 2>/dev/null)" = installed ]; then  # it has packages of this system
    mapfile -t missing < <(not_installed "${@%%:*}")
  else
    for entry in "$@"; do
      compgen -G "${entry#*:}" >/dev/null || { entry=${entry%%:*} && missing+=("${entry%%|*}"); }
    done
  fi
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=""
  if ! command -v apt-get >/dev/null; then
    say "missing (Debian names): ${missing[*]}"
    say "YATLAB_SETUP=skip continues without checking for them"
    exit 2
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo >/dev/null; }; then
      sudo=sudo
    else
      say "missing packages; install them with"
      say "  sudo apt-get install ${missing[*]}"
      exit 2
    fi
  fi
  say "installing from Debian: ${missing[*]}"
  # Installed packages stay: of two that exclude each other the user chose one.
  { $sudo apt-get update &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-remove --no-install-recommends "${missing[@]}"; } \
    >>"$log" 2>&1 || fail "apt-get could not install them"
}

# Ninja's progress while it runs: continuously in a terminal, otherwise every half minute.
show_progress() {
  local hint="log: $log" every=30 end=$'\n' n=0 at
  [ -d "$build/bin" ] || hint="the first build takes a few minutes; $hint"
  [ -t 2 ] && every=1 end=$'\r'
  sleep 2 >/dev/null 2>&1  # quiet when there is little to do; who reads what is printed need not wait for it
  say "building ($hint)"
  while sleep 1 >/dev/null 2>&1; do
    n=$((n + 1))
    [ $((n % every)) -eq 0 ] || continue
    at=$(tail -c 2000 "$log" | grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1) || continue
    printf '  %s%s' "$at" "$end" >&2
  done
}

# build_targets OPTION TARGET...: configures once, and again when the choice of Torch changes or the build folder lacks a required OPTION
# (YATLAB_TESTS, YATLAB_BENCH or none); the folder then keeps it, so that switching back and forth costs nothing.
# Ninja decides what must be built.
build_targets() {
  local option=$1
  shift
  local arguments=(--preset "$preset" "${torch_arguments[@]}")
  [ "${CI:-}" = true ] && arguments+=(-DYATLAB_WARNINGS_ARE_ERRORS=ON)
  local wanted="${arguments[*]}"
  if [ ! -f "$build/build.ninja" ] || [ "$(cat "$build/configured" 2>/dev/null)" != "$wanted" ] ||
    { [ -n "$option" ] && ! grep -q "^$option:BOOL=ON" "$build/CMakeCache.txt"; }; then
    logged cmake "${arguments[@]}" ${option:+"-D$option=ON"} || fail "CMake could not configure the build"
    printf '%s' "$wanted" >"$build/configured"
  fi
  show_progress </dev/null &
  local progress=$!
  local status=0
  logged ninja -C "$build" "$@" || status=$?
  kill "$progress" 2>/dev/null || true
  wait "$progress" 2>/dev/null || true
  [ "$status" -eq 0 ] || fail "the build failed"
}

start_log() {
  mkdir -p "$build"
  : >"$log"
}

has_sources() { compgen -G "plugins/$1/*.cpp" >/dev/null || compgen -G "plugins/$1/*/*.cpp" >/dev/null; }
# The packs built so far, which are rebuilt with their sources. Packs without sources are removed.
built_packs() {
  local library pack
  for library in "$build"/lib/yatlab/*.so; do
    [ -e "$library" ] || continue
    pack=${library##*/} pack=${pack%.so}
    if has_sources "$pack"; then printf 'pack_%s\n' "$pack"; else rm -f "$library"; fi
  done
}
# packs_named [PACK...]: the targets that build these packs; all, if none is named.
packs_named() {
  local pack
  [ $# -gt 0 ] || printf 'packs\n'
  for pack in "$@"; do
    has_sources "$pack" || { say "error: there is no pack '$pack'; there are: $(cd plugins && echo *)" && return 2; }
    printf 'pack_%s\n' "$pack"
  done
}

# tests_named WORD...: the targets of the folders given to `test`; of all with --all, and of the quick ones without arguments.
tests_named() {
  local word named=() value=
  for word in "$@"; do
    if [ -n "$value" ]; then value=; continue; fi
    case $word in
      --all) named=(tests/all) && break ;;
      --filter | --jobs | -j | --programs) value=1 ;;
      -*) ;;
      *) if [ -d "tests/$word" ] || [ -d "tests/trackers/$word" ] || [ "$word" = scaffold ]; then named+=("test_$word"); else named=(tests/all) && break; fi ;;
    esac
  done
  if [ ${#named[@]} -eq 0 ]; then case " $* " in *" --filter"*) named=(tests/all) ;; *) named=(quick_tests) ;; esac; fi
  printf '%s\n' "${named[@]}"
}

set_up_and_build() {
  [ "${YATLAB_BUILD:-}" = skip ] && return
  local wanted packs=()
  wanted=$(case $1 in build) packs_named "${@:2}" ;; package) packs_named ;; *) built_packs ;; esac) || exit 2
  [ -z "$wanted" ] || mapfile -t packs <<<"$wanted"
  trap 'interrupted 129' HUP
  trap 'interrupted 130' INT
  trap 'interrupted 143' TERM
  local program=$preset
  case "$1" in
    test) [ -z "$sanitized" ] || use_preset "$sanitized" ;;
    fuzz) use_preset fuzz ;;
  esac
  start_log
  find_torch
  local tests=()
  if [ "$1" = test ]; then mapfile -t tests < <(tests_named "${@:2}"); fi
  case "$1" in
    test) [ -z "$sanitized" ] && [ "${tests[*]}" = quick_tests ] || test_packages=("${all_test_packages[@]}")
      install_packages "${packages[@]}" "${test_packages[@]}" ${sanitized:+"${clang_packages[@]}"} ;;
    package) install_packages "${packages[@]}" "${package_packages[@]}" ;;
    bench) install_packages "${packages[@]}" "${bench_packages[@]}" ;;
    fuzz) install_packages "${packages[@]}" "${clang_packages[@]}" ;;
    *) install_packages "${packages[@]}" ;;
  esac
  if [ -z "$sanitized" ] && [ "${tests[*]}" = quick_tests ] && [ ! -x "$build/bin/test_base" ]; then
    say "the first time, building the tests takes about 8 minutes on two cores and running them 2 (--all: 16 and 25)"
  fi
  # Libraries without a program of their own are built first, then the program that runs them.
  case "$1:$sanitized" in
    test:) build_targets YATLAB_TESTS yatlab "${packs[@]}" "${tests[@]}" ;;
    test:*) build_targets YATLAB_TESTS tests/all ;;
    bench:*) build_targets YATLAB_BENCH yatlab bench/all ;;
    fuzz:*) build_targets YATLAB_FUZZ tests/fuzz/all ;;
    *) build_targets "" yatlab "${packs[@]}" ;;
  esac
  if [ "$preset" != "$program" ]; then
    use_preset "$program"
    [ "${YATLAB_BUILD:-}" = only ] && return
    start_log
    build_targets "" yatlab
  fi
}
if [ -n "$sanitized" ] && [ "${1:-}" != test ] && [ "${1:-}" != fuzz ]; then
  say "error: the preset '$sanitized' has no program, only tests"
  say "  try: YATLAB_PRESET=$sanitized ./run.sh test, or YATLAB_PRESET=release, debug or asan for everything else"
  exit 2
fi
case "${YATLAB_BUILD:-}" in
  "" | skip | only) ;;
  *) say "error: YATLAB_BUILD=$YATLAB_BUILD is unknown; choices: skip, only" && exit 2 ;;
esac
# The documentation needs neither the program nor its build tools.
if [ "${1:-}" = docs ]; then
  use_preset docs
  start_log
  install_packages "${docs_packages[@]}"
  say "building the documentation site"
  doxygen -l "$build/layout.xml" && sed -i -e '/<\/navindex>/r docs/site/menu.xml' -e '/<navindex>/,/<\/navindex>/d' "$build/layout.xml"
  rm -rf "$build/html"
  logged doxygen docs/site/Doxyfile || fail "Doxygen reported problems"
  echo "$root/$build/html/index.html"
  exit
fi
set_up_and_build "${@:-help}"
trap - HUP INT TERM
[ "${YATLAB_BUILD:-}" = only ] && exit
[ "${1:-}" = build ] && exit
if [ "${1:-}" = package ]; then
  [ "${YATLAB_BUILD:-}" != skip ] || exit 0
  say "building the packages"
  rm -rf "$build/packages"
  logged cpack --config "$build/CPackConfig.cmake" || fail "CPack could not build the packages"
  ls "$root/$build"/packages/yatlab*
  exit
fi
# With these variables the program builds a pack that is named but missing.
[ "${YATLAB_BUILD:-}" = skip ] || export YATLAB_RUN=$root/run.sh YATLAB_PRESET=$preset
if [ -n "$sanitized" ] && [ "$1" = test ]; then set -- "$@" --programs "$root/build/$sanitized/bin"; fi

# Paths on the command line and results are relative to the caller; the project's experiments and data are found from anywhere.
cd "$caller"
if [ "$caller" != "$root" ]; then export YATLAB_DATA=${YATLAB_DATA:-$root/data:$root/../shared/data}; fi
exec "$root/$build/bin/yatlab" "$@"
