import type { Webhook } from "@slipway/contract";
import { Chip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";

const tones = { active: "good", parked: "wait", disabled: "idle" } as const;

export function WebhookChip({ status }: { readonly status: Webhook["status"] }) {
  return <Chip tone={tones[status]}>{status}</Chip>;
}

/** Whether its receiver answers, and if not, since when. */
export function WebhookHealth({ webhook }: { readonly webhook: Webhook }) {
  const { failing_since, parked_until, disabled_reason } = webhook;
  if (disabled_reason !== null) return <span class="error">{disabled_reason}</span>;
  if (failing_since === null) return <span class="faint">The last delivery arrived, or there was none.</span>;
  return (
    <span class="error">
      Fails since <Ago at={failing_since} />
      {parked_until !== null && (
        <>
          ; tried again <Ago at={parked_until} />
        </>
      )}
    </span>
  );
}

/** Which events it is told of, in words. */
export function eventsOf({ events }: Webhook): string {
  return events.includes("*") ? "every event" : events.join(", ");
}
