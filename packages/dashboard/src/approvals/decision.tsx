import type { Approval } from "@slipway/contract";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { outdate } from "../data/query-cache.ts";
import { may } from "../data/session.ts";
import { Ago } from "../parts/time.tsx";

const questions = {
  plan: "Shall this plan be carried out?",
  deployment: "Shall the result go live?",
  promotion: "Shall the result go live in a further environment?",
  permission: "May the agent do this?",
} as const;

interface Props {
  readonly approval: Approval;
  /** Whose question it is, where that is not clear from the page. */
  readonly children?: ComponentChildren;
}

/** What a person has to decide before a project goes on. */
export function Decision({ approval, children }: Props) {
  const { approval_id, project_id, gate, environment, approvers, question, lines, created_at, deadline } = approval;
  const [comment, setComment] = useState("");
  const [confirmed, setConfirmed] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState("");
  const decide = async (decision: "approve" | "deny") => {
    const confirms = decision === "approve" && confirmed.size > 0 ? { confirms: [...confirmed] } : {};
    const body = { decision, ...(comment !== "" && { comment }), ...confirms };
    try {
      await client.call("decideApproval", { params: { approval_id }, body });
    } catch (thrown) {
      setError(explain(thrown));
    }
    outdate(`project/${project_id}`);
    outdate("approvals");
  };
  return (
    <section class="panel panel-wait" aria-label={questions[gate]}>
      <h2>{questions[gate]}</h2>
      {children}
      {question !== null && <p>{question}</p>}
      <p class="faint">
        {environment !== "" && `To ${environment}. `}
        Asked <Ago at={created_at} />
        {approvers.length > 0 && ` of ${approvers.join(", ")}`}; denied by itself <Ago at={deadline} />.
      </p>
      {lines.length > 0 && <UncheckedLines lines={lines} confirmed={confirmed} onChange={setConfirmed} />}
      {may("approvals:decide") && (
        <div class="buttons decide">
          <input
            aria-label="Comment"
            placeholder="Comment"
            value={comment}
            onInput={(event) => setComment(event.currentTarget.value)}
          />
          <button type="button" class="primary" onClick={() => void decide("approve")}>
            Approve
          </button>
          <button type="button" class="danger" onClick={() => void decide("deny")}>
            Deny
          </button>
        </div>
      )}
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}

interface LinesProps {
  readonly lines: Approval["lines"];
  readonly confirmed: ReadonlySet<string>;
  readonly onChange: (confirmed: ReadonlySet<string>) => void;
}

function UncheckedLines({ lines, confirmed, onChange }: LinesProps) {
  const toggle = (pointer: string) => {
    const next = new Set(confirmed);
    if (!next.delete(pointer)) next.add(pointer);
    onChange(next);
  };
  return (
    <fieldset class="unchecked">
      <legend>Nobody has checked these lines of the document. Tick those that you have seen to hold:</legend>
      {lines.map(({ pointer, line, title }) => (
        <label key={pointer} class="check">
          <input type="checkbox" checked={confirmed.has(pointer)} onChange={() => toggle(pointer)} />
          {line !== null && `line ${line}: `}
          {title}
        </label>
      ))}
    </fieldset>
  );
}
