/** With fewer cores than this, each is worth more to the programs than an answer at once is to everybody else. */
export const minCoresToShare = 4;

/** The cores that the service may use, from a list such as `0-3,8` in its status. */
export function coresOf(status: string): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "0";
  return list.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** One core stays the service's own: however many processes wait for the others, it goes on answering and watching. */
export function coresForRuns(ours: readonly number[]): readonly number[] {
  return ours.length < minCoresToShare ? ours : ours.slice(1);
}
