/** Sends requests on some connections for some time, each after the answer to the one before, and prints how many a second. */
import { connect } from "node:net";
import { json } from "node:stream/consumers";

export interface Load {
  readonly port: number;
  /** Sent in turn. */
  readonly requests: readonly string[];
  readonly status: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

const load = (await json(process.stdin)) as Load;
const requests = load.requests.map((text) => Buffer.from(text));
const expected = `HTTP/1.1 ${load.status} `;
let sent = 0;
let answered = 0;

for (let count = 0; count < load.connections; count += 1) open();
await pause(load.warmUpMs);
const before = answered;
const start = performance.now();
await pause(load.measureMs);
const perSecond = (answered - before) / ((performance.now() - start) / 1000);
process.stdout.write(`${perSecond}\n`, () => process.exit(0));

function open(): void {
  const socket = connect({ port: load.port, host: "127.0.0.1", noDelay: true });
  const send = () => socket.write(requests[sent++ % requests.length]!);
  let rest = "";
  socket.setEncoding("latin1");
  socket.on("connect", send);
  socket.on("data", (text: string) => {
    rest += text;
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    if (!rest.startsWith(expected)) throw new Error(`This is not what was expected: ${rest.slice(0, 1000)}`);
    const length = load.status === 304 ? 0 : Number(/content-length: (\d+)/i.exec(rest.slice(0, headEnd))![1]);
    if (rest.length < headEnd + 4 + length) return;
    rest = "";
    answered += 1;
    send();
  });
  socket.on("close", () => {
    throw new Error("The connection was closed.");
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
