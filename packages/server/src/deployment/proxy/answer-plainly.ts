import type { ServerResponse } from "node:http";

/** Answers in the program's place, in one line of plain text. */
export function answerPlainly(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `${text}\n`;
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": length,
    "cache-control": "no-store",
    ...headers,
  });
  response.end(body);
}
