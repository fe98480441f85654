import type { AuditCheck } from "@slipway/contract";
import type { ServiceContext } from "../command.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { count } from "../output/quantities.ts";

type End = NonNullable<AuditCheck["last"]>;

export async function verifyAudit(context: ServiceContext): Promise<ExitCode> {
  const expected = readExpected(context.options["expect"]);
  const check = await checkChain(context, expected);
  const end = check.last === null ? null : `${check.last.position}:${check.last.hash}`;
  print(context, { ...check, end }, () => describe(check, end));
  return check.is_intact ? exitCode.ok : exitCode.failed;
}

/** Checks the chain part by part, and stops at the end that is expected to compare it. */
async function checkChain(context: ServiceContext, expected: End | undefined): Promise<AuditCheck> {
  let [checked, last]: [number, AuditCheck["last"]] = [0, null];
  for (;;) {
    const after: number = last?.position ?? 0;
    const isBefore = expected !== undefined && after < expected.position;
    const query = { after, ...(isBefore && { through: expected.position }) };
    const part = await context.client.call("checkAudit", { query, signal: context.signal });
    checked += part.checked;
    last = part.last ?? last;
    const problem = part.problem ?? (isBefore && !part.has_more ? cutOff(last, expected) : null);
    const isOver = !part.has_more && !(isBefore && last?.position === expected.position);
    if (problem !== null || isOver)
      return { ...part, checked, last, problem, is_intact: problem === null, has_more: false };
    if (!context.options.json && part.has_more)
      context.terminal.err(`${count(checked, "entry is", "entries are")} intact so far ...`);
  }
}

function cutOff(last: AuditCheck["last"], { position, hash }: End): string | null {
  if (last === null || last.position < position)
    return `The log ends before position ${position}: its end was cut off.`;
  return last.hash === hash ? null : `The hash at position ${position} is another: the log was written anew.`;
}

function describe({ problem, checked, unsealed }: AuditCheck, end: string | null): string {
  if (problem !== null) return `The audit log was changed. ${problem}`;
  const open = unsealed === 0 ? "" : `\n${count(unsealed, "newer entry is", "newer entries are")} not sealed yet.`;
  if (end === null) return `The audit log is empty.${open}`;
  return `The audit log is intact: ${count(checked, "entry", "entries")}.${open}\nIts end, for the next check: --expect ${end}`;
}

function readExpected(text: unknown): End | undefined {
  if (text === undefined) return undefined;
  const [, position = "", hash = ""] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(String(text)) ?? [];
  if (hash === "")
    throw new UsageError("--expect must be what an earlier 'slipway audit verify' printed, such as 120:9f2c...");
  return { position: Number(position), hash };
}
