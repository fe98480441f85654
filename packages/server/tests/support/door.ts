import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { whenDone } from "./when-done.ts";

/** A port in front of a service that can be shut and opened again, as a service that restarts does. */
export class Door {
  readonly #behind: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(behind: string) {
    this.#behind = Number(new URL(behind).port);
    whenDone(() => this.shut());
  }

  /** Opens it and returns its address, which stays the same. */
  async open(): Promise<string> {
    this.#server = createServer((client) => {
      const service = connect(this.#behind, "127.0.0.1");
      for (const socket of [client, service]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
      }
      client.pipe(service).pipe(client);
    }).listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  async shut(): Promise<void> {
    const closed = this.#server && once(this.#server.close(), "close");
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
