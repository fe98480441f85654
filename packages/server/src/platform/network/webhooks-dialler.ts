import { Dialler } from "./dialler.ts";

export interface WebhookRules {
  /** Whether webhooks may go to this machine, also unencrypted. */
  readonly allowsLocal: boolean;
  /** Further networks that the operator allows. */
  readonly networks: readonly string[];
  readonly resolve?: (host: string) => Promise<readonly { address: string; family: number }[]>;
}

/** Calls the webhooks of users: public addresses, and those that the operator allows. */
export function webhooksDialler({ allowsLocal, networks, resolve }: WebhookRules): Dialler {
  return new Dialler({
    allowsLoopback: allowsLocal,
    networks,
    isPlainLocal: true,
    connectMs: 5_000,
    readMs: 15_000,
    // The number of connections is not limited: otherwise a hanging webhook would delay others at the same host.
    ...(resolve !== undefined && { resolve }),
  });
}
