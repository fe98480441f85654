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
  return idPrefixes[kind] + sortableNumber(Math.max(0, timeMs));
}

export function sortableId(nowMs: number): string {
  return sortableNumber(nowMs) + randomText(10);
}

/** A number as ten characters that sort as it counts. */
export function sortableNumber(ms: number): string {
  let time = "";
  for (let rest = ms, digit = 0; digit < 10; digit += 1, rest = Math.floor(rest / 32)) {
    time = alphabet[rest % 32] + time;
  }
  return time;
}

/** The number that such characters stand for; nothing if they are not of the alphabet. */
export function readSortable(text: string): number | undefined {
  let number = 0;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit === -1) return undefined;
    number = number * 32 + digit;
  }
  return number;
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
