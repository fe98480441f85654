/** Whose project needs a secret. */
export interface SecretOwner {
  readonly id: string;
  readonly name: string;
}

/** What a document asks a provider for. */
export interface SecretRequest {
  readonly names: readonly string[];
  /** Narrows where the provider looks, below what the operator declared. */
  readonly path: string | undefined;
  readonly region: string | undefined;
  /** `secrets.config` of the document. */
  readonly config: unknown;
  readonly owner: SecretOwner;
}

/** A store of secrets that the operator declared. */
export interface SecretProvider {
  /** The names that documents may use, `SHOP_*` for all that begin so; undefined if the operator lists none. */
  readonly names: readonly string[] | undefined;
  /** The users whose documents may use it; undefined if the operator lists none. */
  readonly owners?: readonly string[] | undefined;
  /** Where the operator lists the names. */
  readonly listedIn: string;
  /** Whether it serves every name even where others can use the service, because it knows whose secrets are whose. */
  readonly isPerOwner?: true;
  /** How somebody stores the missing ones, as a sentence. */
  howToSet(names: readonly string[]): string;
  /** Which fields of `secrets` in a document have no effect here, and why. */
  unused?(request: Omit<SecretRequest, "names" | "owner">): readonly UnusedField[];
  /** The values of the secrets that exist, by name; throws a ProviderFailure. */
  read(request: SecretRequest): Promise<ReadonlyMap<string, string>>;
}

/** A field of `secrets` in a document that has no effect. */
export interface UnusedField {
  /** Below `/secrets`. */
  readonly pointer: string;
  readonly reason: string;
}

/** A provider could not be asked, or refused to answer. The message is a sentence, and never holds a credential. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  /** Whether asking later may help. */
  readonly isTransient: boolean;

  constructor(message: string, { isTransient = false, cause }: { isTransient?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isTransient = isTransient;
  }
}

/** Of one, and of all that a document uses: each is masked in dozens of ways of writing, in everything that is told. */
export const maxSecretLength = 64 * 1024;

/** Names that can be a variable, a file and part of an address. */
export const secretName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/;
