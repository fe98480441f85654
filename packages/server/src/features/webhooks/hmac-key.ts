import { hash } from "node:crypto";

const blockBytes = 64;
const digestBytes = 32;
const innerPad = 0x36;
const outerPad = 0x5c;
/** Where most texts are put together with a key; nobody else gets to see it, and nothing is awaited meanwhile. */
const scratch = Buffer.alloc(16 * 1024);

/**
 * A key to sign with, by HMAC-SHA256 as RFC 2104 has it: two plain hashes. With `createHmac` each signature makes an object
 * that lives on the other side, and takes twice as long; two of them are a part of a delivery's cost that can be seen.
 */
export class HmacKey {
  readonly #inner: Buffer;
  /** With room for the inner hash. */
  readonly #outer: Buffer;

  constructor(secret: Buffer) {
    const key = secret.length > blockBytes ? hash("sha256", secret, "buffer") : secret;
    this.#inner = Buffer.alloc(blockBytes, innerPad);
    this.#outer = Buffer.alloc(blockBytes + digestBytes, outerPad);
    for (const [at, byte] of key.entries()) {
      this.#inner[at] = byte ^ innerPad;
      this.#outer[at] = byte ^ outerPad;
    }
  }

  sign(text: string, encoding: "hex" | "base64"): string {
    this.#outer.write(hash("sha256", this.#withInnerKey(text), "hex"), blockBytes, "hex");
    return hash("sha256", this.#outer, encoding);
  }

  #withInnerKey(text: string): Buffer {
    // A character takes three bytes at most.
    if (blockBytes + text.length * 3 > scratch.length) return Buffer.concat([this.#inner, Buffer.from(text, "utf8")]);
    scratch.set(this.#inner);
    return scratch.subarray(0, blockBytes + scratch.write(text, blockBytes, "utf8"));
  }
}
