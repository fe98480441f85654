import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Agent, type Dispatcher, fetch as undiciFetch } from "undici";
import { type AddressRules, whyNotDialled } from "./allowed-address.ts";

export interface DiallerOptions extends AddressRules {
  readonly connectMs: number;
  /** Until the answer's head is there, and between two pieces of its body. */
  readonly readMs: number;
  /** All addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly { address: string; family: number }[]>;
}

/** An address that must not be dialled; says which and why. */
export class DialRefusal extends Error {
  override readonly name = "DialRefusal";
}

/**
 * Goes to addresses that come from documents, agents and callers, and to no other than may be reached. The address that is
 * judged is the one that is dialled: a name is resolved once, and all that it stands for must be allowed.
 */
export class Dialler {
  readonly #options: DiallerOptions;
  readonly #agent: Dispatcher;

  constructor(options: DiallerOptions) {
    this.#options = options;
    const { connectMs, readMs, resolve = resolveAll } = options;
    this.#agent = new Agent({
      headersTimeout: readMs,
      bodyTimeout: readMs,
      connect: {
        timeout: connectMs,
        lookup: (host, { all }, callback) => {
          resolve(host).then(
            (addresses) => {
              try {
                for (const { address } of addresses) this.#require(host, address);
                if (all) callback(null, [...addresses]);
                else callback(null, addresses[0]!.address, addresses[0]!.family);
              } catch (error) {
                callback(error as Error, "", 0);
              }
            },
            (error: Error) => callback(error, "", 0),
          );
        },
      },
    });
  }

  /** As `fetch`, but never to where it must not go; a redirect is an answer like any other. */
  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    this.refuseUrl(url);
    // Undici's own fetch, for its dispatcher; it is the same thing as the global one.
    return (await undiciFetch(url, {
      ...(init as object),
      redirect: "manual",
      dispatcher: this.#agent,
    })) as unknown as Response;
  };

  /** Says no at once where the address itself stands in the URL: names are judged when they are dialled. */
  refuseUrl(url: string | URL): void {
    const { hostname, protocol } = new URL(url);
    if (protocol !== "https:" && protocol !== "http:") throw new DialRefusal(`${protocol} addresses are not called.`);
    // Undici does not look up what is an address already, however it is written; `URL` has made it plain.
    const literal = hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0) this.#require(literal, literal);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #require(host: string, address: string): void {
    const reason = whyNotDialled(address, this.#options);
    if (reason === undefined) return;
    const what = host === address ? host : `${host} (${address})`;
    throw new DialRefusal(`${what} must not be called: ${reason}.`);
  }
}

async function resolveAll(host: string): Promise<readonly { address: string; family: number }[]> {
  return lookup(host, { all: true });
}
