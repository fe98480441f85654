import { type Schema, Type } from "./schema.ts";

/** The prefix of each kind of id; 20 characters that sort by time follow it. */
export const idPrefixes = {
  project: "proj_",
  application: "app_",
  event: "evt_",
  apiKey: "ak_",
  user: "usr_",
  team: "team_",
  agent: "agent_",
  checkpoint: "ckpt_",
  approval: "appr_",
  lease: "lease_",
  webhook: "wh_",
  delivery: "dlv_",
  upload: "upl_",
  deployment: "dep_",
  release: "rel_",
} as const;

export type IdKind = keyof typeof idPrefixes;

export function Id(kind: IdKind, description: string): Schema<string> {
  const prefix = idPrefixes[kind];
  return Type.String({ description, examples: [`${prefix}01kaw3v9t2h5m8q1x7zc`] });
}

export const Timestamp = (description: string) =>
  Type.String({ format: "date-time", description, examples: ["2026-11-15T09:30:00.000Z"] });

export const OptionalTimestamp = (description: string) =>
  Type.Union([Timestamp(description), Type.Null()], { description });
