import { inTurns } from "../in-turns.ts";

/** The texts of an output that a zero byte ends each; in turns, for the names of a project may take 60 MB. */
export function zeroEnded(output: Buffer): AsyncGenerator<string> {
  return inTurns(textsIn(output));
}

function* textsIn(output: Buffer): Generator<string> {
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    if (end === -1) return;
    yield output.toString("utf8", start, end);
    start = end + 1;
  }
}
