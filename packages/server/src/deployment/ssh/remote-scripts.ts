/** Every script of ours that runs on the machine. `$1` is the operator's folder, `$2` the deployment, `$3` the version. */

const begin = `set -eu
umask 077
root=$1 dep=$2 rel=$3
base=$root/apps/$dep
export XDG_RUNTIME_DIR="\${XDG_RUNTIME_DIR:-/run/user/$(id -u)}"
`;

/** `$4`: system or user. */
const units = `scope=$4
if [ "$scope" = user ]; then units=$HOME/.config/systemd/user; else units=/etc/systemd/system; fi
`;

/** Ends the units of one version; needs `units` and `unit_rel`. */
const endUnits = `end_units() {
  for file in "$units"/slipway-"$1"-*.service; do
    [ -e "$file" ] || continue
    systemctl --"$scope" disable --now "$(basename "$file")" >/dev/null 2>&1 || true
    rm -f "$file"
  done
}
free_version() {
  end_units "$1"
  if [ -s "$base/env/$1.ports" ]; then while read -r port; do rm -rf "$root/ports/$port"; done < "$base/env/$1.ports"; fi
  rm -rf "$base/releases/$1" "$base/releases/$1.start" "$base/env/$1".* "$base/env/$1"-*
}
`;

/** Exits with 0 if the files of the version are there already. */
export const hasFiles = `${begin}
mkdir -p "$base/releases" "$base/data" "$base/env" "$root/ports"
test -e "$base/env/$rel.sent"`;

/** Takes the files of the version as an archive. `$4`: who runs its programs, or nothing. */
export const takeFiles = `${begin}
rm -rf "$base/releases/$rel"
mkdir "$base/releases/$rel"
tar -xof - -C "$base/releases/$rel"
if [ -n "$4" ]; then chmod 711 "$root" "$root/apps" "$base" "$base/releases"; chown -R "$4" "$base/releases/$rel" "$base/data"; fi
: > "$base/env/$rel.sent"`;

/** Claims ports for the version, as many as \`$4\` between \`$5\` and \`$6\`, and prints them; the same ones again if it has some. */
export const claimPorts = `${begin}
file=$base/env/$rel.ports
if [ ! -s "$file" ]; then
  : > "$file.new"
  left=$4 port=$5
  while [ "$left" -gt 0 ] && [ "$port" -le "$6" ]; do
    # Somebody else's program would get the requests.
    if grep -qs ":$(printf %04X "$port") [0-9A-F]*:0000 0A " /proc/net/tcp /proc/net/tcp6; then port=$((port + 1)); continue; fi
    if mkdir "$root/ports/$port" 2>/dev/null; then echo "$port" >> "$file.new"; left=$((left - 1)); fi
    port=$((port + 1))
  done
  if [ "$left" -gt 0 ]; then
    while read -r port; do rmdir "$root/ports/$port"; done < "$file.new"
    echo "no ports are left" >&2
    exit 3
  fi
  mv "$file.new" "$file"
fi
cat "$file"`;

/** Writes small files: a line each, with the path, a blank and the content in base64. Who runs programs may read those in \`.start\`. */
export const writeFiles = `set -eu
umask 077
while read -r path text; do
  case $path in "~/"*) path=$HOME/\${path#"~/"} ;; esac
  folder=$(dirname "$path")
  mkdir -p "$folder"
  printf %s "$text" | base64 -d > "$path.new"
  case $folder in *.start) chmod 755 "$folder"; chmod 644 "$path.new" ;; esac
  mv "$path.new" "$path"
done`;

/** Starts the units that are named from \`$5\` on, and lets the machine start them again with itself. */
export const startUnits = `${begin}${units}
rm -f "$base/env/$rel.retire"
shift 4
systemctl --"$scope" daemon-reload
if [ $# -gt 0 ]; then systemctl --"$scope" enable --now "$@"; fi`;

/** Ends the units that are named from \`$5\` on. */
export const stopUnits = `${begin}${units}
shift 4
for unit in "$@"; do
  systemctl --"$scope" disable --now "$unit" >/dev/null 2>&1 || true
done`;

/** What became of a unit, \`$5\`: how often it was started again, how it ended, and what it wrote last. */
export const readUnit = `${begin}${units}
systemctl --"$scope" show -p NRestarts -p ExecMainStatus -p ActiveState "$5"
echo
journalctl --"$scope" -q -n 5 -o cat -u "$5" 2>/dev/null || true`;

/** Ends a version and removes it. */
export const endVersion = `${begin}${units}${endUnits}
free_version "$rel"
systemctl --"$scope" daemon-reload`;

/** Ends all versions; their files and ports stay. */
export const stopAll = `${begin}${units}${endUnits}
for file in "$base"/env/*.ports; do
  [ -e "$file" ] && end_units "$(basename "$file" .ports)"
done
systemctl --"$scope" daemon-reload`;

/** Ends and removes everything of a deployment. */
export const forgetAll = `${begin}${units}${endUnits}
for file in "$base"/env/*.ports; do
  [ -e "$file" ] && free_version "$(basename "$file" .ports)"
done
systemctl --"$scope" daemon-reload
rm -rf "$base"`;

/** Notes when the version ends: in \`$4\` seconds. */
export const retireLater = `${begin}
[ -d "$base/env" ] && echo $(($(date +%s) + $4)) > "$base/env/$rel.retire"`;

/** Ends what should have ended by now, of all deployments. */
export const endRetired = `set -eu
root=$1 dep='' rel=''
scope=$4
export XDG_RUNTIME_DIR="\${XDG_RUNTIME_DIR:-/run/user/$(id -u)}"
if [ "$scope" = user ]; then units=$HOME/.config/systemd/user; else units=/etc/systemd/system; fi
${endUnits}
now=$(date +%s)
for file in "$root"/apps/*/env/*.retire; do
  [ -e "$file" ] || continue
  if [ "$(cat "$file")" -le "$now" ]; then base=$(dirname "$(dirname "$file")"); end_units "$(basename "$file" .retire)"; rm -f "$file"; fi
done`;

/** Points \`current\` at the version that has the requests. */
export const pointAt = `${begin}
ln -sfn "releases/$rel" "$base/current"`;

/** Hardly any program ends with it. */
export const insteadOf255 = 254;

/**
 * Runs the document's script \`$4\` with its variables, for at most \`$5\` seconds, as \`$6\` if that is not empty; it ends with
 * 124 if that was too short, and at once when its input ends; 255 is told otherwise. What the script has started and left in
 * its group ends with it. All that it says goes to one stream: on the other one are the words of the ssh client alone.
 */
export const runScript = `${begin}
set -a
. "$base/env/$rel-$4.env"
set +a
rm -f "$base/env/$rel-$4.env"
cd "$base/releases/$rel"
script=$base/releases/$rel.start/$4.sh
exec 3<&0 </dev/null
began=$(date +%s)
if [ -n "$6" ]; then
  timeout -k 1 "$5" runuser -u "$6" -- sh "$script" 3<&- 2>&1 &
else
  timeout -k 1 "$5" sh "$script" 3<&- 2>&1 &
fi
# It makes a group of its own.
group=$!
end_group() { kill -s KILL -- "-$group" 2>/dev/null || true; }
# As long as it has made none, it has not started the script.
{ cat; end_group; kill -s KILL "$group" || true; end_group; } <&3 >/dev/null 2>&1 &
watcher=$!
code=0
wait "$group" || code=$?
kill "$watcher" 2>/dev/null || true
end_group
# That it was killed, as it did not end when it was told to.
if [ "$code" -eq 137 ] && [ "$(($(date +%s) - began))" -ge "$5" ]; then code=124; fi
# With 255 the ssh client says that the machine is not reached.
if [ "$code" -eq 255 ]; then code=${insteadOf255}; fi
exit "$code"`;
