/** What was said and done in one step. */
export interface BatchCommit {
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
/** What is left of something long that was said long ago. */
const shortLength = 200;
/** What is left of something long that was said just now, if nothing else helps. */
const cutLength = 4_000;
const recentTurns = 4;

/** About how many tokens these turns take. */
export function estimateTokens(turns: readonly BatchCommit[]): number {
  const characters = turns.reduce((sum, turn) => sum + turnLength(turn), 0);
  return Math.ceil(characters / charactersPerToken);
}

/**
 * Makes turns fit: long results and inputs of the oldest are shortened first, one turn after the other, the latest only if it
 * must be. What was said and which tools were called stays.
 */
export function shortenTurns(turns: readonly BatchCommit[], maxTokens: number): readonly BatchCommit[] {
  const shortened = [...turns];
  const lengths: readonly (readonly [turns: number, length: number])[] = [
    [turns.length - recentTurns, shortLength],
    [turns.length, cutLength],
    [turns.length, shortLength],
  ];
  let tokens = estimateTokens(turns);
  for (const [end, length] of lengths) {
    for (let index = 0; index < end && tokens > maxTokens; index += 1) {
      const before = shortened[index]!;
      const after = shortenTurn(before, length);
      shortened[index] = after;
      tokens -= (turnLength(before) - turnLength(after)) / charactersPerToken;
    }
  }
  return shortened;
}

function shortenTurn({ text, calls }: BatchCommit, length: number): BatchCommit {
  return {
    text,
    calls: calls.map((call) => ({
      ...call,
      input: Object.fromEntries(Object.entries(call.input).map(([name, value]) => [name, shorten(value, length)])),
      result: shorten(call.result, length) as string,
    })),
  };
}

function shorten(value: unknown, length: number): unknown {
  if (typeof value !== "string" || value.length <= length + 100) return value;
  return `${value.slice(0, length)}\n[… shortened: ${value.length} characters]`;
}

function turnLength({ text, calls }: BatchCommit): number {
  return calls.reduce(
    (sum, { name, input, result }) => sum + name.length + JSON.stringify(input).length + result.length + 50,
    text.length + 20,
  );
}
