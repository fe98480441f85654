import type { Network } from "./process-options.ts";
import type { Shown } from "./visible-files.ts";

/** What is mounted and shared, before it is put into words for bubblewrap. */
export interface View {
  readonly shown: readonly Shown[];
  readonly folder: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Covered, should it lie in what is shown. */
  readonly hidden: string | undefined;
  /** Folders of this run alone, on the disk. */
  readonly temporary: string;
  readonly home: string;
  readonly network: Network;
  readonly identity: Identity;
}

/** Who a contained program is. Root gives each run a number of its own; others stay themselves, in a user namespace. */
export type Identity =
  | { readonly is: "own-uid"; readonly uid: number; readonly gid: number }
  | { readonly is: "user-namespace" };

/** Files that are handed over through pipes, by their number. */
export const pipes = { options: 3, status: 4, start: 5, passwd: 6, group: 7 } as const;

export const startFile = "/run/slipway/start";
export const homeInside = "/agent";
const shownId = 1000;
const sharedMemoryBytes = 64 << 20;

/** Bubblewrap's options. They go through a pipe: `ps` shows everybody the arguments of a program. */
export function bubblewrapOptions(view: View): string[] {
  const { identity, network } = view;
  return [
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "slipway"],
    // Brings up a loopback of its own. For no network at all, an empty namespace is there already.
    ...(network === "loopback" ? ["--unshare-net"] : []),
    ...(identity.is === "user-namespace"
      ? ["--unshare-user", "--uid", `${shownId}`, "--gid", `${shownId}`]
      : ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]),
    ...["--new-session", "--die-with-parent", "--json-status-fd", `${pipes.status}`],
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--perms", "1777", "--size", `${sharedMemoryBytes}`, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...mounts(view).flatMap(({ options }) => options),
    ...["--chdir", "/"],
    // The root is a file system in memory: nobody fills it.
    ...["--remount-ro", "/"],
    ...(isCovered(view) ? ["--remount-ro", view.hidden!] : []),
  ];
}

/** Gives up all rights before anything that a caller gave is used. */
export function dropRights(setpriv: string, identity: Identity): string[] {
  if (identity.is === "user-namespace") return [];
  return [setpriv, `--reuid=${identity.uid}`, `--regid=${identity.gid}`, "--clear-groups", "--inh-caps=-all", "--"];
}

/** The only users there are, for programs that look themselves up. */
export function accounts(identity: Identity): { passwd: string; group: string } {
  const { uid, gid } = identity.is === "own-uid" ? identity : { uid: shownId, gid: shownId };
  return {
    passwd: `root:x:0:0:root:/root:/bin/sh\nagent:x:${uid}:${gid}:agent:${homeInside}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
    group: `root:x:0:\nagent:x:${gid}:\nnogroup:x:65534:\n`,
  };
}

interface Mount {
  readonly at: string;
  readonly options: readonly string[];
}

/** Outer places first, so that none covers another. */
function mounts(view: View): Mount[] {
  const { shown, folder, readable, writable, temporary, home, hidden } = view;
  const read = (from: string, at = from) => ({ at, options: ["--ro-bind", from, at] });
  const write = (from: string, at = from) => ({ at, options: ["--bind", from, at] });
  const data = (pipe: number, at: string) => ({ at, options: ["--perms", "0444", "--ro-bind-data", `${pipe}`, at] });
  const all: Mount[] = [
    ...shown.map((one) =>
      one.is === "link" ? { at: one.at, options: ["--symlink", one.to, one.at] } : read(one.from, one.at),
    ),
    data(pipes.passwd, "/etc/passwd"),
    data(pipes.group, "/etc/group"),
    data(pipes.start, startFile),
    write(temporary, "/tmp"),
    write(home, homeInside),
    ...readable.map((path) => read(path)),
    ...writable.map((path) => write(path)),
    write(folder),
    ...(isCovered(view) ? [{ at: hidden!, options: ["--perms", "0755", "--tmpfs", hidden!] }] : []),
  ];
  // Folders on the way to a mount must be open to whoever runs in there.
  const ways = new Set(all.flatMap(({ at }) => wayTo(at)));
  for (const { at } of all) ways.delete(at);
  const folders = [...ways].map((at) => ({ at, options: ["--perms", "0755", "--dir", at] }));
  return [...folders, ...all].sort((a, b) => depth(a.at) - depth(b.at));
}

/** A service installed below /usr would show its data folder there. */
function isCovered({ shown, readable, writable, folder, hidden }: View): boolean {
  const places = [...shown.map(({ at }) => at), ...readable, ...writable, folder];
  return hidden !== undefined && places.some((place) => `${hidden}/`.startsWith(`${place}/`));
}

function wayTo(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}

function depth(path: string): number {
  return path.split("/").length;
}
