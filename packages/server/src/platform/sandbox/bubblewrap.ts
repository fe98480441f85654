import type { Network } from "./process-options.ts";
import type { VisibleFile } from "./visible-files.ts";

/** What a sandboxed process can see and reach; `bubblewrapOptions` turns it into arguments. */
export interface SandboxView {
  readonly visible: readonly VisibleFile[];
  readonly folder: string;
  /** Below the folder, or the folder itself: where the program begins. */
  readonly startFolder: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Covered by an empty folder where it lies inside something visible. */
  readonly hidden: string | undefined;
  /** Belongs to this run alone. */
  readonly temporary: string;
  readonly home: string;
  readonly network: Network;
  readonly identity: Identity;
  /** For the kernel: which system calls are refused. */
  readonly filter: Buffer | undefined;
}

/**
 * The user that a sandboxed process runs as. A service run by root gives each run its own uid; any other service keeps
 * its own user, inside a user namespace.
 */
export type Identity =
  | { readonly is: "own-uid"; readonly uid: number; readonly gid: number }
  | { readonly is: "user-namespace" };

/** File descriptors of the pipes between the service and bubblewrap. */
export const pipes = { options: 3, status: 4, start: 5, passwd: 6, group: 7, filter: 8 } as const;

export const startFile = "/run/slipway/start";
export const homeInside = "/agent";
const uidInside = 1000;
const sharedMemoryBytes = 64 << 20;

/** Bubblewrap's arguments. They go through a pipe, because `ps` shows command lines to every user. */
export function bubblewrapOptions(view: SandboxView, { hasOwnIpc }: { readonly hasOwnIpc: boolean }): string[] {
  const { identity, network } = view;
  return [
    // A namespace that was made before has limits, and another one would not.
    ...(hasOwnIpc ? [] : ["--unshare-ipc"]),
    ...["--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "slipway"],
    // Brings up a loopback. For network `none`, `unshare` has already made an empty namespace.
    ...(network === "loopback" ? ["--unshare-net"] : []),
    ...(identity.is === "user-namespace"
      ? ["--unshare-user", "--uid", `${uidInside}`, "--gid", `${uidInside}`]
      : ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]),
    ...["--new-session", "--die-with-parent", "--json-status-fd", `${pipes.status}`],
    ...(view.filter === undefined ? [] : ["--seccomp", `${pipes.filter}`]),
    ...["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"],
    ...["--perms", "1777", "--size", `${sharedMemoryBytes}`, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...mounts(view).flatMap(({ options }) => options),
    ...["--chdir", "/"],
    // The root is a file system in memory; writing to it would fill the memory of the machine.
    ...["--remount-ro", "/"],
    ...(isCovered(view) ? ["--remount-ro", view.hidden!] : []),
  ];
}

/** Drops all capabilities before bubblewrap uses anything that the caller supplied. */
export function dropRights(setpriv: string, identity: Identity): string[] {
  if (identity.is === "user-namespace") return [];
  return [setpriv, `--reuid=${identity.uid}`, `--regid=${identity.gid}`, "--clear-groups", "--inh-caps=-all", "--"];
}

/** The passwd and group files inside the sandbox, for programs that look up their own user. */
export function accounts(identity: Identity): { passwd: string; group: string } {
  const { uid, gid } = identity.is === "own-uid" ? identity : { uid: uidInside, gid: uidInside };
  return {
    passwd: `root:x:0:0:root:/root:/bin/sh\nagent:x:${uid}:${gid}:agent:${homeInside}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
    group: `root:x:0:\nagent:x:${gid}:\nnogroup:x:65534:\n`,
  };
}

interface Mount {
  readonly at: string;
  readonly options: readonly string[];
}

/** Sorted by depth, so that no mount covers another. */
function mounts(view: SandboxView): Mount[] {
  const { visible, folder, readable, writable, temporary, home, hidden } = view;
  const read = (from: string, at = from) => ({ at, options: ["--ro-bind", from, at] });
  const write = (from: string, at = from) => ({ at, options: ["--bind", from, at] });
  const data = (pipe: number, at: string) => ({ at, options: ["--perms", "0444", "--ro-bind-data", `${pipe}`, at] });
  const all: Mount[] = [
    ...visible.map((one) =>
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
  // The user inside the sandbox must be able to enter every folder above a mount.
  const parents = new Set(all.flatMap(({ at }) => parentsOf(at)));
  for (const { at } of all) parents.delete(at);
  const folders = [...parents].map((at) => ({ at, options: ["--perms", "0755", "--dir", at] }));
  return [...folders, ...all].sort((a, b) => depth(a.at) - depth(b.at));
}

/** A service installed below /usr would otherwise expose its data folder. */
function isCovered({ visible, readable, writable, folder, hidden }: SandboxView): boolean {
  const paths = [...visible.map(({ at }) => at), ...readable, ...writable, folder];
  return hidden !== undefined && paths.some((path) => `${hidden}/`.startsWith(`${path}/`));
}

function parentsOf(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}

function depth(path: string): number {
  return path.split("/").length;
}
