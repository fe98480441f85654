import { readlinkSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { endianness } from "node:os";
import { takeTurns } from "../in-turns.ts";

/**
 * Whether one of these processes takes what is sent to a port of 127.0.0.1, rather than others; undefined where that cannot be
 * seen. Every program of the machine may listen where nobody does yet.
 */
export async function listensAt(pids: readonly number[], port: number): Promise<boolean | undefined> {
  const listening = await listenersAt(port);
  if (listening.size === 0) return undefined;
  const { isFound, isAllSeen } = await look(pids, (target) => listening.has(target));
  if (isFound) return true;
  return isAllSeen ? false : undefined;
}

/** The ports at which these processes listen, at whichever address, as far as they can be seen. */
export async function portsOf(pids: readonly number[]): Promise<readonly number[]> {
  const listening = new Map((await listeners()).map(({ name, port }) => [name, port]));
  const ports = new Set<number>();
  await look(pids, (target) => {
    const port = listening.get(target);
    if (port !== undefined) ports.add(port);
    return false;
  });
  return [...ports].sort((a, b) => a - b);
}

/** Looks through what these processes have open, as links name it, until what is looked for is found. */
async function look(pids: readonly number[], isLookedFor: (target: string) => boolean) {
  // A run may hold a million files open.
  const turn = takeTurns();
  let isAllSeen = true;
  for (const pid of pids) {
    const names = await ofLiving(() => readdir(`/proc/${pid}/fd`), []);
    if (names === undefined) isAllSeen = false;
    for (const name of names ?? []) {
      await turn();
      const target = await ofLiving(() => readlinkSync(`/proc/${pid}/fd/${name}`), "");
      if (target === undefined) isAllSeen = false;
      else if (isLookedFor(target)) return { isFound: true, isAllSeen };
    }
  }
  return { isFound: false, isAllSeen };
}

/** As the kernel writes addresses: four bytes are a number of the machine. */
const addressOf = (...words: readonly string[]) =>
  words.map((word) => (endianness() === "LE" ? word.match(/../g)!.toReversed().join("") : word)).join("");

/** Where a request to 127.0.0.1 may go: the first address at which anybody listens takes it. */
const takers = [
  [addressOf("7F000001"), addressOf("00000000", "00000000", "0000FFFF", "7F000001")],
  [addressOf("00000000"), addressOf("00000000", "00000000", "0000FFFF", "00000000")],
  [addressOf("00000000", "00000000", "00000000", "00000000")],
];

/** The sockets that take what is sent to a port of 127.0.0.1, as the links to them name them. */
async function listenersAt(port: number): Promise<ReadonlySet<string>> {
  const found = (await listeners()).filter((one) => one.port === port);
  const first = takers.find((addresses) => found.some(({ address }) => addresses.includes(address))) ?? [];
  return new Set(found.filter(({ address }) => first.includes(address)).map(({ name }) => name));
}

/** Slot, own address and port, other address, state (0A: it listens), queues, timer, retransmits, user, timeout, inode. */
const listener = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:0000 0A \S+ \S+ \S+ +\d+ +\d+ (\d+) /gm;

/** All sockets of the service's network that listen. */
async function listeners() {
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((table) => readFile(table, "utf8").catch(() => ""));
  const text = (await Promise.all(tables)).join("\n");
  return [...text.matchAll(listener)].map(([, address = "", port = "", inode]) => ({
    ...{ address, port: Number.parseInt(port, 16) },
    name: `socket:[${inode}]`,
  }));
}

/** What is read of a process: `ended` if it or its file is gone, and undefined if we may not see it or cannot just now. */
async function ofLiving<T>(read: () => T | Promise<T>, ended: T): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ESRCH" ? ended : undefined;
  }
}
