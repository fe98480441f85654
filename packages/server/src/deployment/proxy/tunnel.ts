import type { Socket } from "node:net";
import type { InFlight } from "./release.ts";

/** An upgraded connection: bytes of a client and an instance, passed on as they come, no faster than they are taken. */
export class Tunnel implements InFlight {
  readonly #client: Socket;
  readonly #instance: Socket;
  readonly #onEnd: () => void;
  #isOver = false;

  constructor(client: Socket, instance: Socket, onEnd: () => void) {
    this.#client = client;
    this.#instance = instance;
    this.#onEnd = onEnd;
  }

  /** Tells the client that the protocol changed, and begins with what it sent before it knew. */
  open({ protocol, headers, head }: Opening): void {
    const [client, instance] = [this.#client, this.#instance];
    for (const [one, other] of [
      [client, instance],
      [instance, client],
    ] as const) {
      // The end of one direction is passed on by `pipe`; a broken side breaks the other.
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

  #onClosed(other: Socket): void {
    // What is written already still goes out.
    other.destroySoon();
    if (this.#isOver || !(this.#client.closed && this.#instance.closed)) return;
    this.#isOver = true;
    this.#onEnd();
  }
}

interface Opening {
  readonly protocol: string;
  /** Names and values in turn. */
  readonly headers: readonly (string | string[])[];
  readonly head: Buffer;
}

function switching(protocol: string, headers: readonly (string | string[])[]): string {
  let text = `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${protocol}\r\n`;
  for (let index = 0; index < headers.length; index += 2)
    for (const value of [headers[index + 1]!].flat()) text += `${headers[index] as string}: ${value}\r\n`;
  return `${text}\r\n`;
}
