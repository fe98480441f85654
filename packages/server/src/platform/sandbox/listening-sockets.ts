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
      else if (listening.has(target)) return true;
    }
  }
  return isAllSeen ? false : undefined;
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
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((table) => readFile(table, "utf8").catch(() => ""));
  const text = (await Promise.all(tables)).join("\n");
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  // Slot, own address, other address, state (0A: it listens), queues, timer, retransmits, user, timeout, inode.
  const line = new RegExp(`^ *\\d+: ([0-9A-F]+):${hex} [0-9A-F]+:0000 0A \\S+ \\S+ \\S+ +\\d+ +\\d+ (\\d+) `, "gm");
  const found = [...text.matchAll(line)].map(([, address = "", inode]) => ({ address, name: `socket:[${inode}]` }));
  const first = takers.find((addresses) => found.some(({ address }) => addresses.includes(address))) ?? [];
  return new Set(found.filter(({ address }) => first.includes(address)).map(({ name }) => name));
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
