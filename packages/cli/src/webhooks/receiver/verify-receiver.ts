import { randomBytes } from "node:crypto";
import { WebhookVerificationError } from "@slipway/client";
import type { Context } from "../../command.ts";
import { Interruption } from "../../connection/interruption.ts";
import { CommandError, type ExitCode, exitCode, UsageError } from "../../exit-code.ts";
import { printable } from "../../output/printable.ts";
import { table } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";
import { toJson } from "../../output/to-json.ts";
import { readSecret } from "../secret.ts";
import { type Check, checks, type Expected, type Sender } from "./checks.ts";
import { judge, type Verdict } from "./judge.ts";
import { type Answer, post } from "./post.ts";

/** The result of one check. */
interface Finding {
  readonly name: string;
  readonly sent: string;
  readonly expected: string;
  readonly got: string;
  readonly ms: number;
  readonly verdict: Verdict;
  readonly hint: string | null;
}

/** Sends valid and invalid deliveries to a receiver, and judges its answers. */
export async function verifyReceiver({ terminal, args: [address = ""], options }: Context): Promise<ExitCode> {
  const url = receiverAt(address);
  const secret = (await readSecret(terminal, options)) ?? terminal.env["SLIPWAY_WEBHOOK_SECRET"];
  if (!secret) throw new UsageError("give the receiver's secret with --secret or SLIPWAY_WEBHOOK_SECRET");
  const interruption = new Interruption(terminal);
  try {
    const findings = await runChecks({ terminal, url, secret, signal: interruption.signal });
    const isCorrect = findings.every(({ verdict }) => verdict !== "fail");
    if (options.json) terminal.out(toJson({ url: url.href, verdict: isCorrect ? "pass" : "fail", checks: findings }));
    else for (const line of report(terminal, findings)) terminal.out(line);
    return isCorrect ? exitCode.ok : exitCode.failed;
  } catch (error) {
    if (interruption.signal.aborted) throw new CommandError(interruption.code, "interrupted");
    if (error instanceof WebhookVerificationError) throw new UsageError(error.message);
    throw error;
  } finally {
    terminal.live(undefined);
  }
}

function receiverAt(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new UsageError(`'${printable(text)}' is not a receiver address such as http://127.0.0.1:3000/hook`);
  return url;
}

interface Run {
  readonly terminal: Terminal;
  readonly url: URL;
  readonly secret: string;
  readonly signal: AbortSignal;
}

async function runChecks({ terminal, url, secret, signal }: Run): Promise<Finding[]> {
  const sender: Sender = { secret, now: () => new Date(), newId: () => `evt_${randomBytes(10).toString("hex")}` };
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) {
    terminal.live(`${name}: ${check.sent}`);
    const answers: Answer[] = [];
    for (const posting of await check.postings(sender)) answers.push(await post(url, posting, signal));
    const [first] = answers;
    if (findings.length === 0 && first?.is === "silence" && !first.isConnected)
      throw new CommandError(exitCode.cannotConnect, first.why);
    findings.push(findingOf(name, check, answers));
    // A receiver that does not even answer this would time out in every other check.
    if (findings.length === 1 && first?.is === "silence") break;
  }
  return findings;
}

function findingOf(name: string, { sent, expected, note }: Check, answers: readonly Answer[]): Finding {
  const { verdict, hint } = judge(expected, answers);
  return {
    name,
    sent,
    expected: answers.map(() => status[expected]).join(", "),
    got: answers.map((answer) => (answer.is === "answer" ? String(answer.status) : "no answer")).join(", "),
    ms: Math.max(...answers.map(({ ms }) => ms)),
    verdict,
    hint: hint ?? note ?? null,
  };
}

const status: Readonly<Record<Expected, string>> = { accepted: "2xx", refused: "4xx", either: "2xx or 4xx" };

function report({ colors }: Terminal, findings: readonly Finding[]): string[] {
  const rows = findings.map(({ name, sent, expected, got, ms, verdict }) => {
    return [verdict, name, sent, expected, got, String(ms)];
  });
  const painted = { pass: colors.green, warn: colors.yellow, fail: colors.red };
  const [headings = "", ...lines] = table(["VERDICT", "CHECK", "SENT", "EXPECTED", "GOT", "MS"], rows, colors);
  const hints = findings.flatMap(({ name, hint }) => (hint === null ? [] : [`${name}: ${hint}`]));
  const count = (wanted: Verdict) => findings.filter(({ verdict }) => verdict === wanted).length;
  const [passed, warned, failed] = [count("pass"), count("warn"), count("fail")];
  return [
    headings,
    ...lines.map((line, index) => {
      const verdict = findings[index]?.verdict ?? "fail";
      return painted[verdict](verdict) + line.slice(verdict.length);
    }),
    ...(hints.length === 0 ? [] : ["", ...hints]),
    "",
    `${findings.length} checks: ${passed} passed, ${warned} with a warning, ${failed} failed`,
  ];
}
