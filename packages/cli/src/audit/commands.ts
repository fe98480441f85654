import { type CommandGroup, pageOptions } from "../command.ts";

const filters = [
  { flags: "--actor <user>", description: "changes by this user (id or name)" },
  { flags: "--action <action>", description: "changes of this kind; 'project.*' for all of projects" },
  { flags: "--target <id>", description: "changes of this project, user, key, ..." },
  { flags: "--since <time>", description: "changes at or after this time, or 2h for the last two hours" },
  { flags: "--until <time>", description: "changes before this time" },
] as const;

export const auditCommands: CommandGroup = {
  name: "audit",
  description: "Read the audit log, and check that nobody changed it. Needs an administrator's token.",
  exitCodes: { 1: "the audit log was changed" },
  examples: [
    "slipway audit list --actor ada@example.com --since 7d",
    "slipway audit export --since 2026-11-01 > audit.jsonl",
    "slipway audit verify",
  ],
  commands: [
    {
      name: "list",
      description: "List changes, newest first.",
      options: [...filters, ...pageOptions("changes")],
      needs: "api",
      run: async (context) => (await import("./list-audit.ts")).listAudit(context),
    },
    {
      name: "export",
      description: "Print all changes as JSON lines, newest first.",
      options: filters,
      json: "the same: an export is always JSON lines",
      needs: "api",
      run: async (context) => (await import("./list-audit.ts")).exportAudit(context),
    },
    {
      name: "verify",
      description: "Recompute the hash chain: no entry was changed, removed or added in between.",
      options: [
        {
          flags: "--expect <position:hash>",
          description: "the end that an earlier check printed: what was there then must still be there",
        },
      ],
      notes: `Keep the printed end elsewhere: with it, the next check also notices when the newest entries are cut off,
or when the whole log was written anew.`,
      needs: "api",
      run: async (context) => (await import("./verify-audit.ts")).verifyAudit(context),
    },
  ],
};
