#!/usr/bin/env bash
# What a new user meets: README's first command, as it stands there, on a Debian that has nothing but apt: Debian 12, if no other is asked for.
#
#   tests/bare_machine.sh              needs root, debootstrap (installed if missing), network; seven CPU minutes, 6 GB of disk for a while
#   tests/bare_machine.sh --no-build   only what needs no build
#   tests/bare_machine.sh --in-place   builds in this very checkout, seen from there under its own path, and leaves the build to whoever goes on
#                                      here: what continuous integration does. For a clone in which nothing was built or changed.
#   tests/bare_machine.sh --suite trixie [...]   on Debian 13, whose LibTorch is 2.6, or another
#
# It tries the last commit, not the working tree. If no Debian can be created, it says what it left out, and exits with 0.
#
# The cases, all in one root without git, ccache, sudo, certificates and locales, but with libboost-dev, whose headers are in the folder of
# those of libboost-program-options-dev, which are missing:
#   1. an ordinary user, in a clone: prints the one apt-get line, exits with 2
#   2. root, from a tarball (no .git), in a folder with a space and ⵟ in its name, LANG=C, data beside it: README's command.
#      In place: in the checkout, its .git hidden; in the folder with that name, only what needs no LibTorch is built
#   3. an ordinary user after that, 1 core, a home that cannot be written: the same experiment from another
#      folder; nothing is built again
#   4. the same user, ./run.sh test: prints the line that installs what only tests need, exits with 2
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
clone=/srv/yatlab
tree="/srv/my work ⵟ/yatlab"

say() { printf '%s\n' "bare machine: $*"; }
skip() {
  say "SKIPPED, nothing was tried: $1"
  echo "0 passed, 0 failed"
  exit 0
}

# --- inside a separate mount and process namespace: mounts disappear with it ---

passed=0
failed=0
# check NAME OUTPUT CONDITION...: CONDITION is a command.
check() {
  local name=$1 output=$2
  shift 2
  if "$@"; then
    passed=$((passed + 1))
    say "ok: $name"
  else
    failed=$((failed + 1))
    say "FAILED: $name; the output ends in"
    tail -n 25 "$output" | sed 's/^/  | /'
  fi
}
# in_root USER FOLDER COMMAND...: with a clean environment, except for a proxy if there is one.
in_root() {
  local user=$1 folder=$2
  shift 2
  local home=/root
  [ "$user" = root ] || home=/home/$user
  # In place, warnings are errors if they are errors for later users of the build: otherwise everything would be built again.
  env -i ${keep_ci:+CI="$keep_ci"} PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" LANG=C TERM=dumb \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    chroot --userspec="$user" "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@" </dev/null
}

inside() {
  work=$1 build=$2 suite=$3 keep_ci=
  root=$work/root
  trap 'exit 143' TERM
  local mirror
  mirror=$(sed -nE 's/^URIs: *(\S*debian\.org\/debian|\S*\/debian)\/?$/\1/p; s/^deb .*(https?:\/\/\S+\/debian)\/? .*/\1/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
  say "creating a Debian ($suite)"
  if ! debootstrap --variant=minbase "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" >"$work/debootstrap.log" 2>&1; then
    tail -n 5 "$work/debootstrap.log"
    skip "debootstrap could not create a Debian: no network?"
  fi
  # Package sources, keys and proxy are the host's.
  rm -f "$root/etc/apt/sources.list"
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    grep -q "debian.*$suite\|Suites:.*$suite" "$file" 2>/dev/null && ! grep -q "cloud.google\|nodesource" "$file" && cp --parents "$file" "$root"
  done
  [ -e "$root/etc/apt/sources.list" ] || [ -n "$(ls "$root/etc/apt/sources.list.d")" ] ||
    echo "deb ${mirror:-http://deb.debian.org/debian} $suite main" >"$root/etc/apt/sources.list"
  cp -r /usr/share/keyrings/debian-archive* "$root/usr/share/keyrings/" 2>/dev/null
  cp -r /etc/apt/trusted.gpg.d /etc/apt/keyrings "$root/etc/apt/" 2>/dev/null
  for file in $(grep -ls 'Acquire' /etc/apt/apt.conf /etc/apt/apt.conf.d/* 2>/dev/null); do
    grep -q 'docker\|artifact' <<<"$file" || cp --parents "$file" "$root"
  done
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/thrown-away-soon"  # nothing in it has to outlive a power cut
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  printf 'new:x:1000:1000::/home/new:/bin/sh\n' >>"$root/etc/passwd"
  printf 'new:x:1000:\n' >>"$root/etc/group"
  if ! in_root root / sh -c 'apt-get update && apt-get install -y --no-install-recommends libboost-dev' >"$work/boost.log" 2>&1; then
    tail -n 5 "$work/boost.log"
    skip "apt-get could not install libboost-dev"
  fi

  git clone -q --no-local "$here" "$root$clone" 2>"$work/clone.log" || { cat "$work/clone.log"; return 1; }
  mkdir -p "$root$tree" "$root/home/new"
  git -C "$here" archive HEAD | tar -x -C "$root$tree"
  local named=$tree
  if [ "$build" = in-place ]; then
    keep_ci=${CI:-} tree=$here
    mkdir -p "$root$tree"
    mount --bind "$here" "$root$tree" && mount -t tmpfs tmpfs "$root$tree/.git"
  fi
  chown -R 1000:1000 "$root$clone" "$root/home/new"
  # The data folder is beside a checkout, as on this machine.
  local data=missing folder
  for folder in "$here/../shared/data" "${YATLAB_DATA:-}"; do
    [ -n "$folder" ] && [ -d "$folder" ] && data=$(cd "$folder" && pwd) && break
  done
  if [ "$data" != missing ]; then
    mkdir -p "$root$tree/../shared/data"
    mount --bind "$data" "$root$tree/../shared/data" && mount -o remount,bind,ro "$root$tree/../shared/data"
  else
    say "no data folder here: the run downloads MNIST or uses the substitute"
  fi

  local out=$work/output status
  local command
  command=$(sed -n '/^```bash$/,/^```$/p' "$root$clone/README.md" | sed -n 2p)
  say "README's first command is: $command"

  in_root new "$clone" sh -c "$command" >"$out" 2>&1
  status=$?
  check "an ordinary user without sudo is told what to install (exit code 2)" "$out" [ "$status" -eq 2 ]
  check "in one apt-get line, which is the last" "$out" grep -q '^  sudo apt-get install .*libtorch-dev' <(tail -n 1 "$out")
  check "that names what lacks beside libboost-dev, and not that" "$out" \
    eval 'grep -q "libboost-program-options-dev" "$out" && ! grep -q " libboost-dev" "$out"'
  check "that names nothing that only tests need" "$out" eval '! grep -q "catch2\|chromium\|benchmark" "$out"'

  if [ "$build" = no ]; then
    say "skipped (--no-build): installing, building, the run, the tests' packages"
  else
    say "now as root, $([ "$build" = in-place ] && echo "in $here" || echo "from a tarball"); building takes minutes"
    local TIMEFORMAT='bare machine: all of it took %R s, %U + %S CPU s' started configured built
    started=$(date +%s)
    time in_root root "$tree" sh -c "$command" >"$out" 2>&1
    status=$?
    configured=$(stat -c %Y "$root$tree/build/release/build.ninja" 2>/dev/null || date +%s)
    built=$(stat -c %Y "$root$tree/build/release/bin/yatlab" 2>/dev/null || date +%s)
    say "packages and configuring $((configured - started)) s, building $((built - configured)) s, the run $(($(date +%s) - built)) s"
    check "README's first command works (exit code 0)" "$out" [ "$status" -eq 0 ]
    if [ "$status" -ne 0 ]; then tail -n 30 "$root$tree/build/release/setup.log" | sed 's/^/  | /'; fi
    check "prints the paper's table with verdicts" "$out" grep -q 'reproduced\|not comparable' "$out"
    check "and ends by saying where the results are" "$out" grep -q 'results/mnist_inversion/' <(tail -n 6 "$out")
    if [ "$data" != missing ]; then check "on real data" "$out" eval '! grep -qi "substitute" "$out"'; fi
    check "no packages but the ones docs/dependencies.md lists for a run" "$out" eval '! [ -e "$root/usr/include/catch2" ] && ! [ -e "$root/usr/bin/git" ]'

    if [ "$status" -eq 0 ]; then
      in_root root "$tree" ./run.sh plan xor tracker=tensorboard >"$out" 2>&1
      check "a pack that is named is built" "$out" [ $? -eq 0 -a -e "$root$tree/build/release/lib/yatlab/tensorboard.so" ]
      chown -R 1000:1000 "$root$tree/build/release" "$root$tree/results"
      mount --bind "$root/home/new" "$root/home/new" && mount -o remount,bind,ro "$root/home/new"
      local before after
      before=$(stat -c %Y "$root$tree/build/release/bin/yatlab")
      in_root new /tmp taskset -c 0 "$tree/run.sh" experiments/mnist_inversion.yaml scale=smoke >"$out" 2>&1
      status=$?
      after=$(stat -c %Y "$root$tree/build/release/bin/yatlab")
      check "an ordinary user, 1 core, read-only home, from another folder (exit code 0)" "$out" [ "$status" -eq 0 ]
      check "which builds nothing again" "$out" [ "$before" -eq "$after" ]
      in_root new "$tree" ./run.sh test >"$out" 2>&1
      status=$?
      check "./run.sh test says what only tests need (exit code 2)" "$out" [ "$status" -eq 2 ]
      check "and names Catch2" "$out" grep -q '^  sudo apt-get install .*catch2' <(tail -n 1 "$out")
    fi
    if [ "$build" = in-place ]; then
      chown -R "$(stat -c %u:%g "$here/run.sh")" "$here/build/release" "$here/results"
      git -C "$here" clean -fdXq results  # the runs
      # A build by another compiler than this machine's would be useless: its precompiled headers are not accepted.
      cmp -s "$(g++ -print-prog-name=cc1plus 2>/dev/null)" "$(chroot "$root" g++ -print-prog-name=cc1plus | sed "s|^|$root|")" ||
        { say "built by a different compiler than this machine's: building again"; rm -rf "$here/build/release"; }
      in_root root "$named" sh -c "cmake --preset release && ninja -C build/release yatlab_base" >"$out" 2>&1
      check "from a tarball, in a folder with a space and ⵟ in its name, what needs no LibTorch is built" "$out" [ $? -eq 0 ]
    fi
  fi
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

if [ "${1:-}" = --inside ]; then
  shift
  inside "$@"
  exit
fi

# --- outside the namespace ---

build=yes suite=bookworm
while [ $# -gt 0 ]; do
  case $1 in
    --no-build) build=no ;;
    --in-place) build=in-place ;;
    --suite) suite=${2:?"--suite needs a name, such as trixie"} && shift ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
  shift
done
[ "$(id -u)" -eq 0 ] || skip "only root can make a root file system"
command -v git >/dev/null && git -C "$here" rev-parse -q --verify HEAD >/dev/null || skip "not a git checkout: there is no commit to try"
if ! command -v debootstrap >/dev/null; then
  { apt-get update && apt-get install -y --no-install-recommends debootstrap; } >/dev/null 2>&1 || skip "debootstrap is missing and could not be installed"
fi
unshare --mount --pid --fork true 2>/dev/null || skip "this machine allows no mount namespaces"

if [ "$build" = in-place ] && { [ -e "$here/build/release" ] || [ -n "$(git -C "$here" status --porcelain)" ]; }; then
  say "--in-place needs a clone in which nothing was built or changed: git clone '$here' FOLDER"
  exit 2
fi

work=$(mktemp -d /var/tmp/yatlab-bare.XXXXXX)
child=
# Nothing is mounted in this namespace, so only the copy can be removed.
cleanup() {
  if [ -n "$child" ]; then
    kill -KILL "$child" 2>/dev/null  # and with it, by --kill-child, all that runs inside
    wait "$child" 2>/dev/null
  fi
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
unshare --mount --propagation private --pid --fork --kill-child --mount-proc bash "${BASH_SOURCE[0]}" --inside "$work" "$build" "$suite" &
child=$!
wait "$child"
status=$?
child=
exit "$status"
