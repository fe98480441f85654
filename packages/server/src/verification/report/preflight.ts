import type { Obstacle } from "@slipway/contract";
import type { MissingProgram } from "../scripts/missing-programs.ts";
import { uncheckedLine } from "./unchecked-words.ts";

/** What is known of a run before it starts. */
interface Foreseen {
  readonly roles: readonly Role[];
  /** Whether only the agents of the config file are known: a service may have others that were registered with it. */
  readonly isConfigOnly?: boolean;
  readonly secrets: readonly {
    readonly name: string;
    readonly is_required: boolean;
    readonly is_found: boolean;
    readonly reason: string | null;
    readonly remedy: string | null;
  }[];
  readonly acceptance: readonly Line[];
  readonly missing: readonly MissingProgram[];
  /** Why flows cannot be followed here; undefined if they can. */
  readonly noBrowser: string | undefined;
  readonly document: {
    readonly scripts?: object | undefined;
    readonly requirements?: { readonly agents?: object | undefined } | undefined;
  };
}

interface Role {
  readonly role: string;
  readonly capabilities: readonly string[];
  readonly availability: string;
}

interface Line {
  readonly pointer: string;
  readonly title: string;
  readonly can_be_verified: boolean;
  readonly asked_of: string | null;
}

/** What stands in the way of a run, each with what mends it: first what makes it fail. */
export function preflight(foreseen: Foreseen): Omit<Obstacle, "line">[] {
  const { roles, isConfigOnly = false, secrets, acceptance, missing, noBrowser, document } = foreseen;
  const unchecked = acceptance.filter((line) => !line.can_be_verified && line.asked_of === null);
  const flows = noBrowser === undefined ? [] : unchecked.filter(({ pointer }) => isFlow(pointer));
  const flowsThere = new Set(flows);
  return [
    ...roles
      .filter(({ availability }) => availability === "unknown")
      .map((role) => noAgent(role, document, isConfigOnly)),
    ...secrets
      .filter(({ is_required, is_found }) => is_required && !is_found)
      .map(({ name, reason, remedy }) => ({
        kind: "secret" as const,
        is_blocking: true,
        pointer: "/secrets/required",
        message: reason ?? `The secret '${name}' cannot be had.`,
        remedy: remedy ?? `Run 'slipway secrets set ${name}'.`,
      })),
    ...missing.map(({ program, script, remedy }) => ({
      kind: "program" as const,
      is_blocking: true,
      pointer: Object.hasOwn(document.scripts ?? {}, script) ? `/scripts/${script}` : null,
      message: `The script '${script}' starts '${program}', which this machine does not have.`,
      remedy,
    })),
    ...flows.slice(0, 1).map(({ pointer }) => ({
      kind: "program" as const,
      is_blocking: false,
      pointer,
      message: `There is no browser on this machine, so ${flows.length === 1 ? "a flow is" : `${flows.length} flows are`} not checked.`,
      remedy: noBrowser ?? "",
    })),
    ...unchecked.filter((line) => !flowsThere.has(line)).map(noCheck),
  ];
}

function isFlow(pointer: string): boolean {
  return /\/(?:ux|user)_flows\//.test(pointer);
}

function noAgent(
  { role, capabilities }: Role,
  { requirements }: Foreseen["document"],
  isConfigOnly: boolean,
): Omit<Obstacle, "line"> {
  const what = capabilities.length === 0 ? "" : ` and has ${capabilities.join(", ")}`;
  const list = capabilities.length === 0 ? role : capabilities.join(",");
  const isAsked = Object.hasOwn(requirements?.agents ?? {}, role);
  return {
    kind: "agent",
    is_blocking: !isConfigOnly,
    pointer: isAsked ? `/requirements/agents/${role.replaceAll("~", "~0").replaceAll("/", "~1")}` : null,
    message: isConfigOnly
      ? `No agent of the config file fills the role '${role}'${what}; 'slipway agents list' shows those of a service.`
      : `No agent here fills the role '${role}'${what}.`,
    remedy: `Declare one in slipway.yaml, or run 'slipway agents add --name NAME --kind worker --capabilities ${list}'${isAsked ? ", or ask for less in requirements.agents" : ""}.`,
  };
}

function noCheck({ pointer, title }: Line): Omit<Obstacle, "line"> {
  return {
    kind: "check",
    is_blocking: false,
    pointer,
    message: `Nobody here can check this line: ${title}`,
    remedy: uncheckedLine(pointer).remedy,
  };
}
