import type { Keyring } from "../../platform/secrets/index.ts";

/** Encrypts a value for the database. */
export function seal({ encrypt }: Pick<Keyring, "encrypt">, value: unknown): Buffer {
  return Buffer.from(encrypt(Buffer.from(JSON.stringify(value), "utf8")));
}

/** Decrypts such a value. */
export function unseal<T>({ decrypt }: Pick<Keyring, "decrypt">, sealed: Uint8Array): T {
  return JSON.parse(Buffer.from(decrypt(sealed)).toString("utf8")) as T;
}
