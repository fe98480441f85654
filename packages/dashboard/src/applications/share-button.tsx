import type { Answer } from "@slipway/client";
import { useState } from "preact/hooks";
import { TeamSelect } from "../access/team-select.tsx";
import { client } from "../data/client.ts";
import { isAdmin, may, session } from "../data/session.ts";
import { AskButton } from "../parts/ask-button.tsx";

type Application = Answer<"listApplications">["applications"][number];

/** Shares an application with a team, or takes it back. Only its owner and administrators may. */
export function ShareButton({ application }: { readonly application: Application }) {
  const { application_id, document_id, owner_id, team_id } = application;
  const [team, setTeam] = useState(team_id ?? "");
  const isOwner = session.get()?.user_id === owner_id;
  if (!may("projects:manage") || !(isOwner || isAdmin())) return null;
  const share = () =>
    client.call("shareApplication", { params: { application_id }, body: { team: team === "" ? null : team } });
  return (
    <AskButton label="Share…" title={`Share ${document_id}`} action="Share" act={share} outdates="applications">
      <TeamSelect label="With" none="nobody" value={team} onChange={setTeam} />
      <p>Members of the team may read, control and deploy all its runs, and submit further ones.</p>
    </AskButton>
  );
}
