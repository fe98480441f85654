import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SocketConnection } from "../../src/platform/database/index.ts";
import { whenDone } from "./when-done.ts";

/** A way to a database that can be shut: who comes through it then finds it gone, and those inside are cut off. */
export class DatabaseProxy {
  readonly connection: SocketConnection;
  readonly #behind: SocketConnection;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  static async open(behind: SocketConnection): Promise<DatabaseProxy> {
    const folder = await mkdtemp(join(tmpdir(), "slipway-door-"));
    const proxy = new DatabaseProxy(behind, folder);
    whenDone(async () => {
      await proxy.shut();
      await rm(folder, { recursive: true, force: true });
    });
    await proxy.open();
    return proxy;
  }

  private constructor(behind: SocketConnection, folder: string) {
    this.#behind = behind;
    this.connection = { ...behind, host: folder };
  }

  async open(): Promise<void> {
    this.#server = createServer((client) => this.#letIn(client));
    this.#server.listen(socketOf(this.connection));
    await once(this.#server, "listening");
  }

  async shut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server.close(), "close");
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** How many have come in and are still there. */
  get inside(): number {
    return this.#sockets.size / 2;
  }

  /** Lets nothing of what is said through any more, as a database does that is frozen; who knocks is let in as before. */
  freeze(): void {
    for (const socket of this.#sockets) socket.unpipe().resume();
  }

  #letIn(client: Socket): void {
    // It knocked before the door was shut, and was heard after.
    if (this.#server === undefined) {
      client.destroy();
      return;
    }
    const database = connect(socketOf(this.#behind));
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => undefined);
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}

function socketOf({ host, port }: SocketConnection): string {
  return join(host, `.s.PGSQL.${port}`);
}
