import { randomBytes } from "node:crypto";
import { type IdKind, idPrefixes } from "@slipway/contract";

/** Digits and letters that sort as they count, without those that look alike. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** An id that sorts by the time it was made: ten characters of milliseconds, ten of chance. */
export function newId(kind: IdKind, nowMs: number): string {
  return idPrefixes[kind] + sortableId(nowMs);
}

/** What sorts before every id of that kind made at that time or later, and after every older one. */
export function firstIdAt(kind: IdKind, timeMs: number): string {
  return idPrefixes[kind] + sortableTime(Math.max(0, timeMs));
}

export function sortableId(nowMs: number): string {
  return sortableTime(nowMs) + randomText(10);
}

function sortableTime(ms: number): string {
  let time = "";
  for (let rest = ms, digit = 0; digit < 10; digit += 1, rest = Math.floor(rest / 32)) {
    time = alphabet[rest % 32] + time;
  }
  return time;
}

/** So many characters of the alphabet, by chance: five bits each. */
export function randomText(length: number): string {
  let text = "";
  for (const byte of takeRandom(length)) text += alphabet[byte % 32];
  return text;
}

let chance = new Uint8Array(0);

/** Drawn from the system many at once: it is asked too often otherwise. None is given twice. */
function takeRandom(count: number): Uint8Array {
  if (chance.length < count) chance = randomBytes(4096);
  const taken = chance.slice(0, count);
  chance = chance.subarray(count);
  return taken;
}
