import { oneLine } from "../../../platform/one-line.ts";
import { type FailedReport, failed } from "../failed-report.ts";
import type { CommandProfile } from "./profile.ts";

interface Kind {
  readonly code: string;
  readonly signs: RegExp;
  /** What went wrong, after the agent's name, and what to do about it. */
  readonly says: string;
  readonly remedy: (profile: CommandProfile) => string;
}

/** The kinds of failure that agents report, by how their messages read. The first match counts. */
const kinds: readonly Kind[] = [
  {
    code: "agent_context_full",
    signs:
      /prompt is too long|context[ _-]?(window|length|overflow)|maximum context|(hit a|exceeds? the|over the) token limit|too many (input )?tokens|ran out of room/i,
    says: "was given more than its model can hold",
    remedy: () => "Make the task smaller, or choose a model with a larger context.",
  },
  {
    code: "agent_model_unknown",
    signs:
      /models?\b[^\n]{0,100}\b(not[ _]found|does not exist|(may|might) not exist|not (supported|available|a valid))|(unknown|invalid|unrecognized|no such) model|ModelNotFound|not_found_error/i,
    says: "does not know its model",
    remedy: () => "Set 'model' of the agent to one that its account may use.",
  },
  {
    code: "agent_rate_limited",
    signs:
      /rate[ _-]?limit|too many requests|(status|code|error|http)\D{0,12}(429|529)\b|\b429 Too|overloaded|RESOURCE_EXHAUSTED|usage limit|exhausted your|at capacity|limit reached/i,
    says: "is over a limit of its provider",
    remedy: () => "Wait until the limit ends, or use another account or model.",
  },
  {
    code: "agent_out_of_credit",
    signs:
      /credit balance|insufficient[ _](credits?|quota|funds|balance)|out of credits|billing|spend cap|quota exceeded|payment required/i,
    says: "has no credit left with its provider",
    remedy: () => "Add credit, or use another account.",
  },
  {
    code: "agent_not_logged_in",
    signs:
      /not logged in|run \/login|(invalid|incorrect|missing|no|wrong) (api[ _-]?key|authentication|credentials?)|api[ _-]?key\b[^.\n]{0,40}(missing|not (set|found|valid)|required|invalid)|authentication[ _]?(error|failed|required)|not able to authenticate|unauthori[sz]ed|permission[ _]denied.{0,20}key|(status|code|error|http)\D{0,12}401\b|auth (method|type)|LoadAPIKeyError|ProviderAuthError|missing bearer/i,
    says: "is not logged in",
    remedy: ({ keys }) =>
      keys.length === 0
        ? "Give it a key by a variable that is named in its 'env'."
        : `Set ${keys.join(" or ")} where the service is started.`,
  },
  {
    code: "agent_unreachable",
    signs:
      /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ETIMEDOUT|getaddrinfo|could not resolve|connection (failed|refused|error)|connecterror|network (error|is unreachable)|fetch failed|error sending request|stream disconnected/i,
    says: "could not reach its model",
    remedy: () => "See whether the agent's 'network' is 'allow', and whether its provider can be reached from here.",
  },
];

const maxWords = 600;
const maxSearched = 8000;

/** Turns an agent's own error message into a report with a remedy. */
export function explainFailure(profile: CommandProfile, words: string): FailedReport {
  const reason = oneLine(words, maxWords);
  const searched = words.slice(0, maxSearched);
  const kind = kinds.find(({ signs }) => signs.test(searched));
  if (kind === undefined) return failed("agent_failed", `${profile.title} failed: ${reason}`);
  const { code, says, remedy } = kind;
  return failed(code, `${profile.title} ${says}: ${withStop(reason)} ${remedy(profile)}`);
}

/** Explains a program that exited with an error and reported no failure that we can read. */
export function explainExit(profile: CommandProfile, exitCode: number | null, lastLines: string): FailedReport {
  if (exitCode === 127) {
    const message = `The program of ${profile.title} was not found in the sandbox. ${profile.install}`;
    return failed("agent_not_found", message);
  }
  const how = exitCode === null ? "was killed" : `ended with exit code ${exitCode}`;
  const lines = oneLine(lastLines, maxWords);
  const last = lines === "" ? "It printed nothing." : `Its last lines: ${lines}`;
  const explained = explainFailure(profile, lastLines);
  if (explained.code !== "agent_failed") return explained;
  return failed("agent_failed", `${profile.title} ${how}. ${last}`);
}

function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
