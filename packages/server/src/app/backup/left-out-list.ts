import type { LeftOut } from "../../platform/archive/index.ts";

const maxTold = 1_000;

/** A program may fill its folder with files that nobody can read or write: some are told, all are counted. */
export function leftOutList() {
  const texts: string[] = [];
  let untold = 0;
  const add = ({ path, reason, isLoss }: LeftOut) => {
    if (!isLoss) return;
    if (texts.length < maxTold) texts.push(`${path}: ${reason}`);
    else {
      untold += 1;
      texts[maxTold] = `… and ${untold} more`;
    }
  };
  return { texts, add };
}
