import type { Answer } from "@slipway/client";

export type DryRun = Extract<Answer<"createProject">, { phases: unknown }>;

/** What a run would do, before it does anything. */
export function PlanPreview({ plan }: { readonly plan: DryRun }) {
  const unchecked = plan.acceptance.filter((line) => !line.can_be_verified && line.asked_of === null);
  return (
    <section class="panel" aria-label="Plan">
      <h2>What a run would do</h2>
      {plan.preflight.length > 0 && (
        <ul class="obstacles">
          {plan.preflight.map((obstacle) => (
            <li key={obstacle.message} class={obstacle.is_blocking ? "error" : ""}>
              {obstacle.line !== null && `Line ${obstacle.line}: `}
              {obstacle.message} {obstacle.remedy}
            </li>
          ))}
        </ul>
      )}
      <ol>
        {plan.phases.map(({ name }) => (
          <li key={name}>
            <strong>{name}</strong>:{" "}
            {plan.tasks
              .filter(({ phase }) => phase === name)
              .map(({ title }) => title)
              .join(", ") || "nothing"}
          </li>
        ))}
      </ol>
      <p>
        {plan.acceptance.length === 1 ? "1 line" : `${plan.acceptance.length} lines`} to verify
        {unchecked.length > 0 && `, ${unchecked.length} of which nobody checks`}.
      </p>
      {plan.unmet.length > 0 && (
        <>
          <h3>Not built</h3>
          <ul>
            {plan.unmet.map(({ pointer, reason }) => (
              <li key={pointer}>
                <code>{pointer}</code> {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
