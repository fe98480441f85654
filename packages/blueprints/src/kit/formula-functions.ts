import type { ValueType } from "./formula.ts";

interface FormulaFunction {
  readonly takes: readonly ValueType[];
  readonly gives: ValueType;
  /** How many of the last may be left out. */
  readonly optional?: number;
  /** What it is called in programs, where the name is also one over records. */
  readonly as?: string;
}

/** The functions that every program with records has: they do what those of the same names do in commands. */
export const formulaFunctions: ReadonlyMap<string, FormulaFunction> = new Map<string, FormulaFunction>([
  ["abs", { takes: ["number"], gives: "number" }],
  ["ceil", { takes: ["number"], gives: "number" }],
  ["floor", { takes: ["number"], gives: "number" }],
  ["round", { takes: ["number", "number"], gives: "number", optional: 1 }],
  ["min", { takes: ["number", "number"], gives: "number", as: "smaller" }],
  ["max", { takes: ["number", "number"], gives: "number", as: "larger" }],
  ["length", { takes: ["text"], gives: "number" }],
  ["lower", { takes: ["text"], gives: "text" }],
  ["upper", { takes: ["text"], gives: "text" }],
  ["trim", { takes: ["text"], gives: "text" }],
  ["contains", { takes: ["text", "text"], gives: "boolean" }],
  ["starts_with", { takes: ["text", "text"], gives: "boolean" }],
  ["ends_with", { takes: ["text", "text"], gives: "boolean" }],
  ["days_between", { takes: ["date", "date"], gives: "number" }],
  ["add_days", { takes: ["date", "number"], gives: "date" }],
  ["year", { takes: ["date"], gives: "number" }],
  ["month", { takes: ["date"], gives: "number" }],
  ["weekday", { takes: ["date"], gives: "number" }],
]);
