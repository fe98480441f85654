import type { Duplex } from "node:stream";
import type { InFlight } from "./release.ts";
import type { Outcome } from "./traffic.ts";

/** An upgraded connection: bytes of a client and an instance, passed on as they come, no faster than they are taken. */
export class Tunnel implements InFlight {
  readonly #client: Duplex;
  readonly #instance: Duplex;
  readonly #onEnd: (outcome: Outcome) => void;
  #isOver = false;

  constructor(client: Duplex, instance: Duplex, onEnd: (outcome: Outcome) => void) {
    this.#client = client;
    this.#instance = instance;
    this.#onEnd = onEnd;
  }

  /** Tells the client that the protocol changed, and begins. */
  open(
    { protocol, head }: { readonly protocol: string; readonly head: Buffer },
    headers: readonly (string | string[])[],
  ): void {
    const [client, instance] = [this.#client, this.#instance];
    for (const [one, other] of [
      [client, instance],
      [instance, client],
    ] as const) {
      // An end is passed on by `pipe`; a broken side breaks the other.
      one.on("error", () => other.destroy());
      one.on("close", () => this.#onClosed(other));
    }
    client.write(switching(protocol, headers), "latin1");
    if (head.length > 0) instance.write(head);
    client.pipe(instance);
    instance.pipe(client);
    if (client.destroyed) instance.destroy();
  }

  cut(): void {
    this.#client.destroy();
    this.#instance.destroy();
  }

  #onClosed(other: Duplex): void {
    // What is written already still goes out.
    if (!other.destroyed && !other.writableEnded) other.end();
    if (this.#isOver || !(this.#client.closed && this.#instance.closed)) return;
    this.#isOver = true;
    this.#onEnd("answered");
  }
}

function switching(protocol: string, headers: readonly (string | string[])[]): string {
  let text = `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${protocol}\r\n`;
  for (let index = 0; index < headers.length; index += 2)
    for (const value of [headers[index + 1]!].flat()) text += `${headers[index] as string}: ${value}\r\n`;
  return `${text}\r\n`;
}
