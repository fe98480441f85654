import type { CompleteSpec } from "@slipway/spec";
import { isLogged } from "../../platform/log/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { ProjectLogs } from "./log-writer.ts";
import type { LogOrigin } from "./store.ts";

/** A place to write what programs say: whatever looks like a secret is taken out first. */
export interface MaskedLog {
  write(text: string): void;
  end(): void;
}

/** What programs write is what happens: a log that holds less than that has none of it. */
export function openMasked(
  logs: ProjectLogs,
  origin: LogOrigin,
  { debug, secrets }: Pick<CompleteSpec, "debug"> & { readonly secrets: readonly string[] },
): MaskedLog {
  if (!isLogged(debug, "info")) return { write: () => undefined, end: () => undefined };
  const writer = logs.open(origin);
  const masker = new Masker(secrets);
  return {
    write: (text) => writer.write(masker.push(text)),
    end: () => {
      writer.write(masker.end());
      writer.end();
    },
  };
}
