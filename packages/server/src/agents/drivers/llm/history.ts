/** One step of the conversation: the model's text and its tool calls with their results. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly DoneCall[];
}

export interface DoneCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly isRefused: boolean;
}

const charactersPerToken = 3.5;
/** The length to which old results are cut. */
const shortLength = 200;
/** The length to which recent results are cut, if cutting the old ones is not enough. */
const cutLength = 4_000;
const recentTurns = 4;
/** Together, of the inputs of a call: a tool takes a few short ones. */
const maxNamesLength = 1_000;

/** An estimate by the number of characters. */
export function estimateTokens(turns: readonly Turn[]): number {
  const characters = turns.reduce((sum, turn) => sum + turnLength(turn), 0);
  return Math.ceil(characters / charactersPerToken);
}

/**
 * Makes turns fit: cuts long results and inputs, the oldest turn first, the latest only if it must. Texts stay until nothing
 * else is left to cut, and the names of the tools stay.
 */
export function shortenTurns(turns: readonly Turn[], maxTokens: number): readonly Turn[] {
  const shortened = [...turns];
  const lengths: readonly (readonly [turns: number, length: number, textLength: number])[] = [
    [turns.length - recentTurns, shortLength, Number.POSITIVE_INFINITY],
    [turns.length, cutLength, Number.POSITIVE_INFINITY],
    [turns.length, shortLength, cutLength],
    [turns.length, shortLength, shortLength],
  ];
  let tokens = estimateTokens(turns);
  for (const [end, length, textLength] of lengths) {
    for (let index = 0; index < end && tokens > maxTokens; index += 1) {
      const before = shortened[index]!;
      const after = shortenTurn(before, length, textLength);
      shortened[index] = after;
      tokens -= (turnLength(before) - turnLength(after)) / charactersPerToken;
    }
  }
  return shortened;
}

function shortenTurn({ text, calls }: Turn, length: number, textLength: number): Turn {
  return {
    text: shortenText(text, textLength),
    calls: calls.map((call) => ({
      ...call,
      input: shortenInput(call.input, length),
      result: shortenText(call.result, length),
    })),
  };
}

/** A model may name as many inputs as it likes, at any length. */
function shortenInput(input: DoneCall["input"], length: number): DoneCall["input"] {
  const kept: [string, unknown][] = [];
  let room = maxNamesLength;
  for (const name in input) {
    room -= name.length + 1;
    if (room < 0) break;
    kept.push([name, shorten(input[name], length)]);
  }
  return Object.fromEntries(kept);
}

/** What is no text may be as long as one. */
function shorten(value: unknown, length: number): unknown {
  if (typeof value === "string") return shortenText(value, length);
  const written = JSON.stringify(value) ?? "";
  return written.length <= length + 100 ? value : shortenText(written, length);
}

function shortenText(text: string, length: number): string {
  if (text.length <= length + 100) return text;
  // Half a character at the end would make the endpoint refuse the question, and all that follow.
  return `${text.slice(0, length).toWellFormed()}\n[… shortened: ${text.length} characters]`;
}

function turnLength({ text, calls }: Turn): number {
  return calls.reduce(
    (sum, { name, input, result }) => sum + name.length + JSON.stringify(input).length + result.length + 50,
    text.length + 20,
  );
}
