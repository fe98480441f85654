import { isIPv6 } from "node:net";

/**
 * The group an address is counted in: an IPv4 address by itself, also where it is mapped to IPv6; an IPv6 address by its /64,
 * the least that a provider gives one customer.
 */
export function addressGroup(address: string): string {
  if (!isIPv6(address)) return address;
  const words = wordsOf(address);
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
  if (isMapped)
    return words
      .slice(6)
      .flatMap((word) => [word >> 8, word & 0xff])
      .join(".");
  return `${words
    .slice(0, 4)
    .map((word) => word.toString(16))
    .join(":")}::/64`;
}

/** The eight words of an IPv6 address; without the zone, which only means something on this machine. */
function wordsOf(address: string): number[] {
  const text = (address.split("%")[0] ?? "").replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = [], tail = []] = text.split("::").map((half) =>
    half
      .split(":")
      .filter(Boolean)
      .map((word) => Number.parseInt(word, 16)),
  );
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
