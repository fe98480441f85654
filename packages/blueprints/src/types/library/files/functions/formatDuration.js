//@ (ms: number): string
export function formatDuration(ms) {
  if (!(ms >= 0)) throw new RangeError("ms must be at least 0");
  let left = Math.round(ms);
  const parts = [];
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    if (count > 0) parts.push(`${count}${unit}`);
    left -= count * size;
  }
  return parts.length === 0 ? "0ms" : parts.join(" ");
}

const units = Object.entries({ d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 });
//: formatDuration(5400000) => "1h 30m"
//: formatDuration(0) => "0ms"
//: formatDuration(-1) !! RangeError
