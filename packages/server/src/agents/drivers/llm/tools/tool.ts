import type { AgentEvent, AgentHost } from "../../driver.ts";

/** A tool that a model can call. */
export interface Tool {
  readonly name: string;
  /** Tells the model what the tool does, and its limits. */
  readonly description: string;
  readonly inputs: Readonly<Record<string, ToolInput>>;
  /** Tells people in a few words what a call does. */
  readonly describe: (input: ToolCallInput) => string;
  readonly perform: (context: ToolContext, input: ToolCallInput) => Promise<string>;
}

interface ToolInput {
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
  readonly isOptional?: true;
}

export interface ToolContext {
  /** The project's folder. */
  readonly folder: string;
  readonly host: Pick<AgentHost, "start">;
  /** Aborted when the agent must stop. */
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Resolves when the events so far were taken, but for a few. */
  readonly whenRoom: () => Promise<void>;
  /** How long a command may take, by default and at most. */
  readonly runSeconds: { readonly default: number; readonly max: number };
}

/** An expected refusal; the model reads the message and can do better. */
export class ToolRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ToolRefusal";
  }
}

interface IntegerBounds {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** The unchecked input of a tool call. */
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

  /** A number; one outside of the bounds becomes the bound. */
  integer(name: string, { min, max, default: byDefault }: IntegerBounds): number {
    const value = this.#values[name] ?? byDefault;
    if (typeof value !== "number" || !Number.isFinite(value)) throw new ToolRefusal(`'${name}' must be a number.`);
    return Math.min(max, Math.max(min, Math.trunc(value)));
  }

  isSet(name: string): boolean {
    return this.#values[name] === true;
  }
}
