/** Sends requests on kept connections, each after the answer to the one before, and counts what is no 200. */
import { connect } from "node:net";
import { serve } from "./messages.ts";

const request = "GET /items/42 HTTP/1.1\r\nhost: app.test\r\nuser-agent: bench\r\naccept: */*\r\n\r\n";
let isStopped = false;
let answered = 0;
let failed = 0;

serve({
  "load start": ({ port, connections }) => {
    for (let count = 0; count < connections; count += 1) open(port);
    return null;
  },
  "load count": () => ({ answered, failed }),
  "load stop": () => {
    isStopped = true;
    return { answered, failed };
  },
});

/** A connection that is closed while it waits has failed, and is opened again. */
function open(port: number): void {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let rest = "";
  const send = () => (isStopped ? socket.destroy() : socket.write(request));
  socket
    .setEncoding("latin1")
    .on("connect", send)
    .on("error", () => undefined);
  socket.on("data", (text: string) => {
    rest += text;
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, headEnd))?.[1]);
    if (rest.length < headEnd + 4 + length) return;
    answered += 1;
    if (!rest.startsWith("HTTP/1.1 200 ")) failed += 1;
    rest = "";
    send();
  });
  socket.on("close", () => {
    if (isStopped) return;
    failed += 1;
    open(port);
  });
}
