interface Answer {
  readonly body: unknown;
}

/** The text of an answer of up to so many bytes; who sends more is not read further. */
export async function readWholeAnswer(
  answer: Answer,
  { maxBytes, tooLong }: { readonly maxBytes: number; readonly tooLong: () => Error },
): Promise<string> {
  const { text, isCut } = await read(answer, maxBytes);
  if (isCut) throw tooLong();
  return text;
}

/** The text of the first so many bytes of an answer. */
export async function readAnswerStart(answer: Answer, maxBytes: number): Promise<string> {
  return (await read(answer, maxBytes)).text;
}

async function read({ body }: Answer, maxBytes: number): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop cancels the rest.
    if (length > maxBytes) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8"), isCut: length > maxBytes };
}
