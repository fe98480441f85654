import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, SlipwayError } from "@slipway/client";
import type { IssuedTokens } from "@slipway/contract";
import { CommandError, exitCode } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";

/** Asks the service for tokens, and waits until somebody lets this command line in with their browser. */
export async function logInByBrowser(terminal: Terminal, url: string): Promise<IssuedTokens> {
  const client = createClient({ url });
  const started = await client.call("beginDeviceLogin", { body: { device: `slipway on ${hostname()}`.slice(0, 100) } });
  terminal.err(`Open ${started.verification_uri_complete}`);
  terminal.err(`and let the command line in that shows the code ${started.user_code}`);
  terminal.browse?.(started.verification_uri_complete);
  let waitMs = started.interval * 1000;
  const { device_code } = started;
  for (;;) {
    await delay(waitMs);
    try {
      return await client.call("exchangeDeviceCode", { body: { device_code } });
    } catch (error) {
      const code = error instanceof SlipwayError ? error.code : undefined;
      if (code === "slow_down") waitMs += 5_000;
      else if (code === "access_denied" || code === "expired_token")
        throw new CommandError(exitCode.refused, (error as Error).message, { cause: error });
      else if (code !== "authorization_pending") throw error;
    }
  }
}
