#!/bin/sh
# Stands in for systemd on the machine of the tests: really starts and stops what units say, and starts it again when it ends.
state=$HOME/units
mkdir -p "$state"
verb=$2
[ "$1" = --user ] || { echo "not expected: $1" >&2; exit 1; }
shift 2
file_of() { printf %s "$HOME/.config/systemd/user/$1"; }
value() { sed -n "s/^$2=//p" "$(file_of "$1")"; }

start() {
  [ -e "$(file_of "$1")" ] || { echo "Unit $1 does not exist." >&2; exit 1; }
  [ -s "$state/$1.pid" ] && return
  setsid sh "$0" --user run "$1" </dev/null >>"$state/$1.log" 2>&1 &
  echo $! >"$state/$1.pid"
}

# Whole or not at all: somebody may read it at any moment.
put() { cat >"$state/$1.new" && mv "$state/$1.new" "$state/$1"; }
put_state() { printf 'NRestarts=%s\nExecMainStatus=%s\nActiveState=%s\n' "$2" "$3" "$4" | put "$1.state"; }

# In a group of its own, and again whenever it ends.
run() {
  restarts=0
  cd "$(value "$1" WorkingDirectory)" || exit 1
  while :; do
    put_state "$1" "$restarts" 0 active
    env -i PATH="$PATH" sh -c 'set -a; . "$1"; set +a; exec $2' unit "$(value "$1" EnvironmentFile)" "$(value "$1" ExecStart)"
    put_state "$1" "$restarts" $? activating
    restarts=$((restarts + 1))
    sleep 0.05
  done
}

stop() {
  [ -s "$state/$1.pid" ] || return
  pid=$(cat "$state/$1.pid")
  while kill -s KILL -- "-$pid" 2>/dev/null; do sleep 0.01; done
  rm -f "$state/$1.pid" "$state/$1.state"
}

case $verb in
run) run "$1" ;;
enable) for unit; do [ "$unit" = --now ] || start "$unit"; done ;;
disable) for unit; do [ "$unit" = --now ] || stop "$unit"; done ;;
show)
  for unit; do :; done
  cat "$state/$unit.state" 2>/dev/null || printf 'NRestarts=0\nExecMainStatus=0\nActiveState=inactive\n'
  ;;
daemon-reload) ;;
*) echo "not expected: $verb" >&2; exit 1 ;;
esac
