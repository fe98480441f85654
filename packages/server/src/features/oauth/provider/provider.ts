/** What the provider says of somebody who signed in, or who is checked again. */
export interface Grant {
  /** Identifies them at the provider for ever; names and addresses change hands. */
  readonly subject: string;
  /** What they are called here if nobody else is. */
  readonly userName: string;
  /** Their roles, groups and teams there. */
  readonly roles: readonly string[];
  readonly tokens: ProviderTokens;
}

/** The provider's tokens, by which somebody is checked again. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly idToken?: string | undefined;
}

/** What must be the same when a browser comes back from the provider. */
export interface Checks {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Somebody else's sign-in. */
export interface Provider {
  /** The address at which a browser signs in. */
  begin(checks: Checks): Promise<URL>;
  /** Exchanges what the browser brought back. */
  finish(answer: URL, checks: Checks): Promise<Grant>;
  /** Asks again what somebody may do. */
  check(subject: string, tokens: ProviderTokens, keep: KeepTokens): Promise<Grant>;
  /** Ends the tokens, where the provider can. */
  revoke(tokens: ProviderTokens): Promise<void>;
}

/** Is called as soon as tokens were exchanged: the old ones may work only once, and what is asked next may fail. */
type KeepTokens = (tokens: ProviderTokens) => Promise<void>;

/** Calls an address that the operator named. */
export type Dial = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The provider refused: `isFinal` if it will not change its mind. The message is a sentence without any token. */
export class ProviderRefusal extends Error {
  override readonly name = "ProviderRefusal";
  readonly isFinal: boolean;

  constructor(message: string, { isFinal, cause }: { isFinal: boolean; cause?: unknown }) {
    super(message, { cause });
    this.isFinal = isFinal;
  }
}
