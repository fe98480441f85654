import type { AcceptanceLine, CompleteSpec, ServiceHealthCheck } from "@slipway/spec";
import { Masker } from "../../platform/secrets/index.ts";
import type { LineVerdict } from "../verdict.ts";
import { checkHealth } from "./check-endpoints.ts";
import { type KeptExchange, Probe } from "./probe.ts";
import type { Services } from "./start-services.ts";
import { tellEnds, whyEnded } from "./tell-ends.ts";

interface ToCheck {
  readonly document: CompleteSpec;
  readonly lines: readonly AcceptanceLine[];
  readonly signal: AbortSignal;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Whether a line is about the health of one service. */
export function isAboutService({ check }: AcceptanceLine): boolean {
  return check.kind === "service_health" && check.service !== undefined;
}

/** Asks each service that a line names at its own address whether it is healthy. */
export async function checkServices(
  services: Services | undefined,
  { document, lines, signal, secrets }: ToCheck,
): Promise<{ readonly verdicts: readonly LineVerdict[]; readonly kept: readonly KeptExchange[] }> {
  const masker = new Masker([...Object.values(secrets), services?.token ?? ""]);
  const verdicts: LineVerdict[] = [];
  const kept: KeptExchange[] = [];
  for (const { pointer, check } of lines.filter(isAboutService)) {
    const line = { pointer, check: check as ServiceHealthCheck };
    const name = line.check.service!;
    const started = services?.started.get(name);
    if (started === undefined) {
      const reason =
        services === undefined
          ? `The result starts as one program: whether its service '${name}' is healthy cannot be told apart.`
          : `The result has no folder services/${name}/ or ${name}/ that says how to start it.`;
      verdicts.push({ pointer, verdict: "not_checked", reason });
    } else if ("failure" in started) verdicts.push({ pointer, verdict: "failed", reason: started.failure });
    else {
      const probe = new Probe(started, document, { signal, masker });
      const verdict = await checkHealth(probe, line);
      // Right after its own line: other services may have ended, too, and say nothing of this one.
      verdicts.push(...tellEnds([verdict], await whyEnded([started]), probe.unanswered));
      kept.push(...probe.kept);
    }
  }
  return { verdicts, kept };
}
