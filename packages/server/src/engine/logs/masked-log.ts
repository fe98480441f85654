import type { CompleteSpec } from "@slipway/spec";
import { isLogged } from "../../platform/log/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { ProjectLogs } from "./log-writer.ts";
import type { LogOrigin } from "./store.ts";

/** Writes the output of programs, with secrets masked. */
export interface MaskedLog {
  readonly write: (text: string) => void;
  end(): void;
}

/** Opens a log with masked secrets; below the level `info`, it writes nothing. */
export function openMasked(
  logs: Pick<ProjectLogs, "open">,
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
