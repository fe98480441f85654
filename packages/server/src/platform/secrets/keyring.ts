import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { ConfigError } from "../errors/index.ts";
import { readOrCreate } from "../read-or-create.ts";

/** The master keys, oldest first: the newest signs and encrypts, all of them verify and decrypt. */
export class Keyring {
  readonly #keys: ReadonlyMap<number, { hmac: KeyObject; cipher: KeyObject }>;
  /** The version of the newest key. */
  readonly version: number;

  constructor(masterKeys: ReadonlyMap<number, Buffer>) {
    this.#keys = new Map(
      [...masterKeys].map(([version, key]) => [version, { hmac: derive(key, "hmac"), cipher: derive(key, "cipher") }]),
    );
    this.version = Math.max(...masterKeys.keys());
  }

  has(version: number): boolean {
    return this.#keys.has(version);
  }

  hmac(text: string, version = this.version): Buffer {
    const key = this.#keys.get(version)?.hmac;
    if (key === undefined) throw new Error(`The master key of version ${version} is missing.`);
    return createHmac("sha256", key).update(text).digest();
  }

  /** Identifies each key without revealing anything about it. */
  fingerprints(): ReadonlyMap<number, Buffer> {
    return new Map([...this.#keys.keys()].map((version) => [version, this.hmac("fingerprint", version)]));
  }

  /** AES-256-GCM: version, nonce, tag, text. */
  readonly encrypt = (plain: Uint8Array): Uint8Array => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.#keys.get(this.version)!.cipher, nonce);
    const text = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([Buffer.from([this.version]), nonce, cipher.getAuthTag(), text]);
  };

  readonly decrypt = (sealed: Uint8Array): Uint8Array => {
    const bytes = Buffer.from(sealed);
    const key = this.#keys.get(bytes[0] ?? 0)?.cipher;
    if (key === undefined) throw new Error(`The master key of version ${bytes[0]} is missing.`);
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(1, 13)).setAuthTag(bytes.subarray(13, 29));
    return Buffer.concat([decipher.update(bytes.subarray(29)), decipher.final()]);
  };
}

function derive(master: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", master, "", `slipway ${purpose}`, 32)));
}

/** Reads the master keys from the operator's variable, else from the file, which the first start creates. */
export async function loadKeyring({
  variable,
  file,
}: {
  variable: string | undefined;
  file: string;
}): Promise<Keyring> {
  const text = variable ?? (await readOrCreate(file, newMasterKey));
  return new Keyring(parseMasterKeys(text, variable === undefined ? file : "SLIPWAY_MASTER_KEY"));
}

/** `<version>:<32 bytes in base64>`, a key a line or separated by commas; a bare key is version 1. */
function parseMasterKeys(text: string, where: string): ReadonlyMap<number, Buffer> {
  const keys = new Map<number, Buffer>();
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const [, version = "1", encoded = ""] = /^(?:(\d{1,2}):)?([\w+/=-]+)$/.exec(entry) ?? [];
    const key = Buffer.from(encoded, "base64");
    if (key.length !== 32 || Number(version) < 1) {
      throw new ConfigError(
        `${where} must contain keys of 32 bytes in base64, each as '<version>:<key>'; make one with 'openssl rand -base64 32'.`,
      );
    }
    keys.set(Number(version), key);
  }
  if (keys.size === 0) throw new ConfigError(`${where} contains no key; make one with 'openssl rand -base64 32'.`);
  return keys;
}

function newMasterKey(): string {
  return `1:${randomBytes(32).toString("base64")}\n`;
}
