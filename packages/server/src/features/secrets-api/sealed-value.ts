import type { Keyring } from "../../platform/secrets/index.ts";

/** Whose secret it is: a user's, or null for everybody's. */
export interface SecretPlace {
  readonly ownerId: string | null;
  readonly name: string;
}

/** Encrypts a value together with its place, so that it cannot be used in another one. */
export function sealValue({ encrypt }: Pick<Keyring, "encrypt">, place: SecretPlace, value: string): Uint8Array {
  return encrypt(Buffer.from(JSON.stringify([place.ownerId, place.name, value]), "utf8"));
}

/** Decrypts a value; undefined if it was sealed for another place. */
export function openValue(
  { decrypt }: Pick<Keyring, "decrypt">,
  place: SecretPlace,
  sealed: Uint8Array,
): string | undefined {
  const [ownerId, name, value] = JSON.parse(Buffer.from(decrypt(sealed)).toString("utf8")) as [
    unknown,
    unknown,
    string,
  ];
  return ownerId === place.ownerId && name === place.name ? value : undefined;
}
