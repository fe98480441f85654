import { randomBytes } from "node:crypto";
import { type IdKind, idPrefixes } from "@slipway/contract";

/** Sorted digits and letters, without those that look alike (Crockford base32). */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** An id that sorts by creation time: ten characters of milliseconds, ten random ones. */
export function newId(kind: IdKind, nowMs: number): string {
  return idPrefixes[kind] + sortableId(nowMs);
}

/** The lower bound of all ids of a kind created at that time or later. */
export function firstIdAt(kind: IdKind, timeMs: number): string {
  return idPrefixes[kind] + sortableNumber(Math.max(0, timeMs));
}

export function sortableId(nowMs: number): string {
  return sortableNumber(nowMs) + randomText(10);
}

/** A number as ten characters that sort in numeric order. */
export function sortableNumber(ms: number): string {
  let time = "";
  for (let rest = ms, digit = 0; digit < 10; digit += 1, rest = Math.floor(rest / 32)) {
    time = alphabet[rest % 32] + time;
  }
  return time;
}

/** The number that such characters encode; undefined if they are not of the alphabet. */
export function readSortable(text: string): number | undefined {
  let number = 0;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit === -1) return undefined;
    number = number * 32 + digit;
  }
  return number;
}

/** Random characters of the alphabet, five bits each. */
export function randomText(length: number): string {
  let text = "";
  for (const byte of takeRandom(length)) text += alphabet[byte % 32];
  return text;
}

let randomPool = new Uint8Array(0);

/** Random bytes from a pool, because a system call for each id is slow. No byte is used twice. */
function takeRandom(count: number): Uint8Array {
  if (randomPool.length < count) randomPool = randomBytes(4096);
  const taken = randomPool.slice(0, count);
  randomPool = randomPool.subarray(count);
  return taken;
}
