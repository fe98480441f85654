import { answers, takeTurns } from "../in-turns.ts";

/** So many items are written in one go. */
const sliceLength = 100;

/**
 * What `JSON.stringify` makes of an answer, with turns for others while it writes a long list in it. That is in bytes: of a
 * hundred long texts at once, no garbage could be collected quickly.
 */
export async function jsonInTurns(body: object): Promise<string | Uint8Array> {
  if (Array.isArray(body) || !Object.values(body).some(isLong)) return JSON.stringify(body);
  const pieces: Uint8Array[] = [];
  const write = (text: string) => void pieces.push(Buffer.from(text));
  const turn = takeTurns(undefined, answers);
  let separator = "{";
  for (const [name, value] of Object.entries(body)) {
    const text: string | undefined = isLong(value) ? "[" : JSON.stringify(value);
    if (text === undefined) continue;
    write(`${separator}${JSON.stringify(name)}:${text}`);
    separator = ",";
    if (!isLong(value)) continue;
    for (let at = 0; at < value.length; at += sliceLength) {
      await turn();
      write(`${at === 0 ? "" : ","}${JSON.stringify(value.slice(at, at + sliceLength)).slice(1, -1)}`);
    }
    write("]");
  }
  write("}");
  return Buffer.concat(pieces);
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > sliceLength;
}
