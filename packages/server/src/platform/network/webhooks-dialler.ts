import { Dialler } from "./dialler.ts";

export interface WebhookRules {
  /** Whether webhooks may go to this machine, also unencrypted. */
  readonly allowsLocal: boolean;
  /** Networks that the operator allows. */
  readonly networks: readonly string[];
  readonly resolve?: (host: string) => Promise<readonly { address: string; family: number }[]>;
}

/** Goes to where users' webhooks lead: public addresses, and what the operator allows beyond. */
export function webhooksDialler({ allowsLocal, networks, resolve }: WebhookRules): Dialler {
  return new Dialler({
    allowsLoopback: allowsLocal,
    networks,
    isPlainLocal: true,
    connectMs: 5_000,
    readMs: 15_000,
    // As many connections to a place as are asked for: with fewer, a webhook that hangs would hold up others at the same host.
    ...(resolve !== undefined && { resolve }),
  });
}
