//@ (text: string): number
export function parseDuration(text) {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)\s*(s|m|h|d|w)/g)];
  const isWhole = parts.map(([part]) => part).join("") === text.replace(/(?<=[a-z])\s+|^\s+|\s+$/g, "");
  if (parts.length === 0 || !isWhole) throw new SyntaxError(`'${text}' is not a duration such as 1h 30m`);
  return parts.reduce((total, [, count, unit]) => total + Number(count) * unitSeconds[unit], 0);
}

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
//: parseDuration("1h 30m") => 5400
//: parseDuration("soon") !! SyntaxError
//= const unitSeconds = ==> const unitSeconds: Readonly<Record<string, number>> =
//= unitSeconds[unit] ==> unitSeconds[unit!]!
