#!/usr/bin/env bash
# What training together gains: whole runs (start, data, training, evaluations, reports) with launcher.stack=off and auto, interleaved, seconds.
#
#   bench/stacks.sh [ROUNDS]      64 points of MNIST (8 epsilons x 8 alphas), one worker and two; XOR's 350 trainings; one MNIST job alone;
#                                 12 points of Bibtex (3 seeds x 4 epsilons) and of Eurlex-4K
#
# Needs a built tree and real MNIST (YATLAB_DATA, or where README says).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export YATLAB_BUILD=skip YATLAB_SETUP=skip
rounds=${1:-3}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cat >"$place/points.yaml" <<'YAML'
name: points
defaults:
  - /protocol: mnist
  - _self_
seeds: [0]
arms:
  yat: [operator=yat, architecture.bias=true, architecture.scale=n_over_log]
sweep:
  operator.epsilon: [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10]
  architecture.alpha_init: [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]
YAML
cat >"$place/labels.yaml" <<'YAML'
name: labels
defaults:
  - /protocol: eurlex
  - _self_
seeds: range(0, 3)
arms:
  yat: [operator=yat, architecture.logits=log]
sweep:
  operator.epsilon: [1e-6, 1e-4, 0.01, 1]
trainer: {epochs: 4}
YAML
one=("$place/points.yaml" 'sweep.operator.epsilon=[1e-5]' 'sweep.architecture.alpha_init=[1]')
xor=(experiments/xor.yaml 'analyses=[]')

# timed NAME ARGUMENTS...: runs afresh, and says how long that took.
timed() {
  local name=$1 begin
  shift
  rm -rf "$place/results"
  begin=$(date +%s.%N)
  ./run.sh "$@" "results=$place/results" figures.format=svg --quiet >/dev/null
  awk -v name="$name" -v begin="$begin" -v end="$(date +%s.%N)" 'BEGIN { printf "%-32s %7.1f s\n", name, end - begin }'
}

for ((round = 1; round <= rounds; ++round)); do
  timed "one MNIST job" "${one[@]}" launcher.workers=1
  for workers in 1 2; do
    timed "64 points, off, $workers worker(s)" "$place/points.yaml" launcher.workers=$workers launcher.stack=off
    timed "64 points, auto, $workers worker(s)" "$place/points.yaml" launcher.workers=$workers launcher.stack=auto
  done
  timed "XOR, off, 1 worker" "${xor[@]}" launcher.workers=1 launcher.stack=off
  timed "XOR, auto, 1 worker" "${xor[@]}" launcher.workers=1 launcher.stack=auto
  for data in bibtex eurlex4k; do
    timed "$data, off, 1 worker" "$place/labels.yaml" dataset=$data launcher.workers=1 launcher.stack=off
    timed "$data, one stack, 1 worker" "$place/labels.yaml" dataset=$data launcher.workers=1 launcher.stack=12
  done
done
