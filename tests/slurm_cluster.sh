#!/usr/bin/env bash
# A Slurm cluster of two nodes on this machine, with a configuration of its own: Debian's slurm-wlm and munge as daemons of the user who starts it.
#
#   tests/slurm_cluster.sh start FOLDER        then: export SLURM_CONF=FOLDER/slurm.conf
#   tests/slurm_cluster.sh node-down FOLDER NODE    the node's daemon and all that it runs are killed, and the node is called down
#   tests/slurm_cluster.sh node-up FOLDER NODE
#   tests/slurm_cluster.sh stop FOLDER
#
# Partitions: low (the default) and high, whose jobs take the places of those of low. Nodes n1 and n2 have two cores each, and two GPUs that are none:
# Slurm gives them away all the same, and says in CUDA_VISIBLE_DEVICES which.
set -uo pipefail
export LC_ALL=C

fail() { printf 'slurm_cluster: %s\n' "$*" >&2; exit 2; }
[ $# -ge 2 ] || { sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2; }
action=$1
mkdir -p "$2" || exit 2
folder=$(cd "$2" && pwd -P)
node=${3:-}
export SLURM_CONF=$folder/slurm.conf PATH=$PATH:/usr/sbin:/sbin

begin_node() { # NODE
  setsid slurmd -D -N "$1" </dev/null >"$folder/log/slurmd-$1.out" 2>&1 &
  echo $! >"$folder/run/slurmd-$1.pid"
}
# Kills everything that a node runs, like a power failure: its daemon, then the jobs' supervisors, so that none reports their end, then the jobs.
end_node() { # NODE
  kill -KILL "$(cat "$folder/run/slurmd-$1.pid")" 2>/dev/null
  local scripts script
  scripts=$(pgrep -f "$folder/spool-$1/.*slurm_script")
  for script in $scripts; do kill -KILL "$(ps -o ppid= -p "$script" | tr -d ' ')" 2>/dev/null; done
  for script in $scripts; do kill -KILL -- "-$(ps -o pgid= -p "$script" | tr -d ' ')" 2>/dev/null; done
}
wait_for() { # SECONDS COMMAND...
  local i=$(($1 * 10))
  shift
  while ! "$@" >/dev/null 2>&1; do
    i=$((i - 1))
    [ "$i" -gt 0 ] || return 1
    sleep 0.1
  done
}
is_idle() { sinfo --noheader --Node --nodes="$1" --partition=low --format=%T | grep -q '^\(idle\|mixed\|allocated\)$'; }

case $action in
  start)
    for program in munged slurmctld slurmd sbatch; do command -v "$program" >/dev/null || fail "$program is missing: apt-get install slurm-wlm munge"; done
    mkdir -p "$folder"/{log,run,state} && chmod 700 "$folder/run"
    host=$(hostname -s)
    # Three unused ports.
    port=$((20000 + RANDOM % 20000))
    while ss -Hltn 2>/dev/null | grep -qE ":($port|$((port + 1))|$((port + 2))) "; do port=$((20000 + RANDOM % 20000)); done
    dd if=/dev/urandom of="$folder/munge.key" bs=1 count=1024 status=none && chmod 600 "$folder/munge.key"
    cat >"$SLURM_CONF" <<END
ClusterName=yatlab
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.sock,cred_expire=5
CredType=cred/munge
SlurmctldPort=$port
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/run/slurmctld.own.pid
SlurmdPidFile=$folder/run/slurmd-%n.own.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
GresTypes=gpu
ReturnToService=2
SlurmdTimeout=5
KillWait=20
OverTimeLimit=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 RealMemory=4000 Gres=gpu:2
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 RealMemory=4000 Gres=gpu:2
PartitionName=low Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE
PartitionName=high Nodes=n1,n2 MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
END
    echo "NodeName=n[1-2] Name=gpu File=/dev/null,/dev/zero" >"$folder/gres.conf"
    munged --force --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" --pid-file="$folder/run/munged.pid" \
      --log-file="$folder/log/munged.log" --seed-file="$folder/run/munged.seed" 2>/dev/null || fail "munged does not start: $(tail -n 2 "$folder/log/munged.log")"
    setsid slurmctld -D </dev/null >"$folder/log/slurmctld.out" 2>&1 &
    echo $! >"$folder/run/slurmctld.pid"
    wait_for 20 scontrol ping || fail "slurmctld does not answer: $(tail -n 3 "$folder/log/slurmctld.out")"
    for name in n1 n2; do begin_node $name; done
    for name in n1 n2; do wait_for 20 is_idle $name || fail "node $name does not come up: $(tail -n 3 "$folder/log/slurmd-$name.out")"; done
    ;;
  node-down)
    end_node "$node"
    scontrol update "nodename=$node" state=down reason=test
    ;;
  node-up)
    begin_node "$node"
    scontrol update "nodename=$node" state=resume 2>/dev/null
    wait_for 20 is_idle "$node" || fail "node $node does not come up"
    ;;
  stop)
    for name in n1 n2; do end_node $name; done
    for name in slurmctld munged; do kill "$(cat "$folder/run/$name.pid" 2>/dev/null)" 2>/dev/null; done
    ;;
  *) fail "there is no action '$action': start, node-down, node-up, stop" ;;
esac
exit 0
