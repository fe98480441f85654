import type { AgentEvent, AgentHost } from "../../driver.ts";

/** Something a model can ask for. */
export interface Tool {
  readonly name: string;
  /** For the model: what it does, and its limits. */
  readonly description: string;
  readonly inputs: Readonly<Record<string, ToolInput>>;
  /** A few words on what is done, for people. */
  readonly describe: (input: ToolCallInput) => string;
  readonly perform: (place: ToolPlace, input: ToolCallInput) => Promise<string>;
}

interface ToolInput {
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
  readonly isOptional?: true;
}

/** Where tools work. */
export interface ToolPlace {
  /** The project's folder, with no links in its path. */
  readonly folder: string;
  readonly host: Pick<AgentHost, "start">;
  /** Aborted when the agent must stop. */
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** How long a command may take that says nothing else, and any. */
  readonly runSeconds: { readonly usual: number; readonly most: number };
}

/** An expected "no" that the model is told, so that it can do better. */
export class ToolRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ToolRefusal";
  }
}

/** What a model gave to a tool; nobody has looked at it. */
export class ToolCallInput {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(given: unknown) {
    this.#values = typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined) throw new ToolRefusal(`'${name}' is missing.`);
    return value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#values[name] ?? undefined;
    if (value !== undefined && typeof value !== "string") throw new ToolRefusal(`'${name}' must be a text.`);
    return value;
  }

  /** A number within bounds: what is beyond them is taken for the bound itself. */
  integer(name: string, [least, usual, most]: readonly [least: number, usual: number, most: number]): number {
    const value = this.#values[name] ?? usual;
    if (typeof value !== "number" || !Number.isFinite(value)) throw new ToolRefusal(`'${name}' must be a number.`);
    return Math.min(most, Math.max(least, Math.trunc(value)));
  }

  isSet(name: string): boolean {
    return this.#values[name] === true;
  }
}
