import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** Of the request, as far as it can be told: an answer to HEAD has no body. */
  readonly method: string;
}

/** How long a request that may be unfinished is silent before our side of its connection is closed. */
const silenceMs = 500;

/**
 * Sends bytes on a connection of its own and gives the answers that came until its end. An unfinished request is given up
 * after a moment, which may be before the answer to a whole one. Fails when the other side neither answers nor ends the
 * connection within the time: that is a hang.
 */
export async function exchange(
  port: number,
  chunks: readonly Uint8Array[],
  deadlineMs: number,
  { isWhole = false } = {},
): Promise<RawAnswer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const method = /^\w*/.exec(Buffer.from(chunks[0] ?? []).toString("latin1"))?.[0] ?? "";
  let received = "";
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const silence = isWhole ? undefined : setTimeout(() => socket.end(), silenceMs);
  const deadline = setTimeout(
    () => reject(new Error(`There was neither an answer nor an end within ${deadlineMs} ms.`)),
    deadlineMs,
  );
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
    if (readAnswers(received, method).length > 0) socket.end();
  });
  socket.on("end", resolve);
  socket.on("close", () => resolve());
  // The other side has said what it had to say, and did not wait for the rest.
  socket.on("error", (error: NodeJS.ErrnoException) => (isCutOff(error) ? resolve() : reject(error)));
  for (const chunk of chunks) socket.write(chunk);
  try {
    await promise;
    return readAnswers(received, method);
  } finally {
    clearTimeout(deadline);
    clearTimeout(silence);
    socket.destroy();
  }
}

function isCutOff({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}

/** Cuts what came, a character a byte, into answers; leaves out one that is not complete. */
function readAnswers(received: string, method: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = received; rest !== ""; ) {
    const headEnd = rest.indexOf("\r\n\r\n");
    const head = rest.slice(0, Math.max(headEnd, 0));
    if (headEnd === -1) return answers;
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    if (Number.isNaN(status)) throw new Error(`This is no HTTP: ${rest.slice(0, 200)}`);
    const type = /^content-type: (.*)$/im.exec(head)?.[1]?.trim() ?? "";
    const hasBody = method !== "HEAD" && status >= 200 && status !== 204 && status !== 304;
    const length = hasBody ? Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0) : 0;
    const body = rest.slice(headEnd + 4, headEnd + 4 + length);
    if (body.length < length) return answers;
    if (status >= 200) answers.push({ status, type, body: Buffer.from(body, "latin1").toString("utf8"), method });
    // A stream goes on as long as it is read.
    rest = type.startsWith("text/event-stream") ? "" : rest.slice(headEnd + 4 + length);
  }
  return answers;
}
