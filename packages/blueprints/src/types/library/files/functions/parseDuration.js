//@ (text: string): number
export function parseDuration(text) {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)/g)];
  const isWhole = parts.map(([part]) => part).join("") === text.replace(/(?<=[a-z])\s+|^\s+|\s+$/g, "");
  if (parts.length === 0 || !isWhole) throw new SyntaxError(`'${text}' is not a duration such as 1h 30m`);
  return parts.reduce((total, [, count, unit]) => total + Number(count) * unitMs[unit], 0);
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
//: parseDuration("1h 30m") => 5400000
//: parseDuration("250ms") => 250
//: parseDuration("soon") !! SyntaxError
//= const unitMs = ==> const unitMs: Readonly<Record<string, number>> =
//= unitMs[unit] ==> unitMs[unit!]!
