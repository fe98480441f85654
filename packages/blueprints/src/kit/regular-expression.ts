import { createRequire } from "node:module";
import type { AST } from "@eslint-community/regexpp";

/** Why a pattern cannot be matched here, or not any further. */
export class Unmatchable extends Error {}

/** Counts the steps of matching; says when there were too many. */
export type Spend = () => void;

type Points = readonly string[];
type Instruction =
  | { readonly is: "one"; readonly takes: (point: string) => boolean }
  | { readonly is: "jump"; readonly to: number[] }
  | { readonly is: "assert"; readonly holds: (points: Points, at: number, spend: Spend) => boolean }
  | { readonly is: "end" };

type Program = readonly Instruction[];

const maxInstructions = 2_000;
/** Of the pattern with every repetition written out: what repeats nothing makes no instruction, and takes time as well. */
const maxElements = 10_000;
/** Patterns are read by calls within calls. */
const maxDepth = 200;

interface Compiling {
  readonly program: Instruction[];
  /** Shared with the programs inside. */
  readonly budget: { elements: number };
}

/**
 * A regular expression of the same language as `new RegExp(pattern, "u")`, matched in steps that grow with the text alone:
 * it follows all ways through the pattern at once and never goes back. Backreferences need going back, and are refused.
 */
export function compilePattern(pattern: string): (text: string, spend: Spend) => boolean {
  // Loaded with the first document that needs it.
  const { RegExpParser } = require("@eslint-community/regexpp") as typeof import("@eslint-community/regexpp");
  if (isDeep(pattern)) throw new Unmatchable("the pattern is nested too deeply");
  const { alternatives } = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: true });
  const program = programOf(alternatives, { elements: maxElements });
  return (text, spend) => {
    const points = [...text];
    return runs(program, points, 0, { isSearch: true }, spend);
  };
}

const require = createRequire(import.meta.url);

/** Counts parentheses and brackets, also those that open nothing. */
function isDeep(pattern: string): boolean {
  let depth = 0;
  for (const sign of pattern) {
    if (sign === "(" || sign === "[") depth += 1;
    else if (sign === ")" || sign === "]") depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

function programOf(alternatives: readonly AST.Alternative[], budget: Compiling["budget"]): Program {
  const program: Instruction[] = [];
  addAlternatives({ program, budget }, alternatives);
  add(program, { is: "end" });
  return program;
}

function add(program: Instruction[], instruction: Instruction): void {
  if (program.length >= maxInstructions) throw new Unmatchable("the pattern is too large");
  program.push(instruction);
}

/** A jump to the next instruction, and wherever else is added to it. */
function addJump(program: Instruction[]): number[] {
  const to = [program.length + 1];
  add(program, { is: "jump", to });
  return to;
}

function addAlternatives(compiling: Compiling, alternatives: readonly AST.Alternative[]): void {
  const { program } = compiling;
  const ends: number[][] = [];
  for (const [index, { elements }] of alternatives.entries()) {
    const isLast = index === alternatives.length - 1;
    const choice = isLast ? [] : addJump(program);
    for (const element of elements) addElement(compiling, element);
    if (!isLast) ends.push(addJump(program));
    choice.push(program.length);
  }
  for (const end of ends) end.splice(0, 1, program.length);
}

function addElement(compiling: Compiling, element: AST.Element): void {
  const { program, budget } = compiling;
  budget.elements -= 1;
  if (budget.elements < 0) throw new Unmatchable("the pattern is too large");
  switch (element.type) {
    case "Character":
    case "CharacterSet":
    case "CharacterClass":
    case "ExpressionCharacterClass": {
      const one = new RegExp(`^(?:${element.raw})$`, "u");
      add(program, { is: "one", takes: (point) => one.test(point) });
      return;
    }
    case "Group":
      // Flags inside of the pattern change what its characters mean.
      if (element.modifiers) throw new Unmatchable("the pattern changes its flags");
      addAlternatives(compiling, element.alternatives);
      return;
    case "CapturingGroup":
      addAlternatives(compiling, element.alternatives);
      return;
    case "Quantifier":
      addRepeated(compiling, element);
      return;
    case "Assertion":
      add(program, { is: "assert", holds: assertion(element, budget) });
      return;
    case "Backreference":
      throw new Unmatchable("the pattern refers back to what it has matched");
  }
}

function addRepeated(compiling: Compiling, { element, min, max }: AST.Quantifier): void {
  const { program } = compiling;
  for (let times = 0; times < min; times += 1) addElement(compiling, element);
  if (max === Number.POSITIVE_INFINITY) {
    const start = program.length;
    const leave = addJump(program);
    addElement(compiling, element);
    add(program, { is: "jump", to: [start] });
    leave.push(program.length);
    return;
  }
  const leaves: number[][] = [];
  for (let times = min; times < max; times += 1) {
    leaves.push(addJump(program));
    addElement(compiling, element);
  }
  for (const leave of leaves) leave.push(program.length);
}

function assertion(
  element: AST.Assertion,
  budget: Compiling["budget"],
): Extract<Instruction, { is: "assert" }>["holds"] {
  switch (element.kind) {
    case "start":
      return (_, at) => at === 0;
    case "end":
      return (points, at) => at === points.length;
    case "word":
      return (points, at) => (isWord(points[at - 1]) !== isWord(points[at])) !== element.negate;
    case "lookahead": {
      const inside = programOf(element.alternatives, budget);
      return (points, at, spend) => runs(inside, points, at, {}, spend) !== element.negate;
    }
    case "lookbehind": {
      const inside = programOf(element.alternatives, budget);
      return (points, at, spend) =>
        Array.from({ length: at + 1 }, (_, from) => from).some((from) =>
          runs(inside, points, from, { endsAt: at }, spend),
        ) !== element.negate;
    }
  }
}

function isWord(point: string | undefined): boolean {
  return point !== undefined && /^\w$/.test(point);
}

interface Way {
  /** It may begin anywhere from the start on. */
  readonly isSearch?: boolean;
  /** It must end exactly there. */
  readonly endsAt?: number;
}

/** Whether a program gets to its end. At each character it is at a set of instructions, each at most once. */
function runs(program: Program, points: Points, start: number, { isSearch, endsAt }: Way, spend: Spend): boolean {
  let current = new Set<number>();
  for (let at = start; at <= (endsAt ?? points.length); at += 1) {
    const open = at === start || isSearch === true ? [...current, 0] : [...current];
    const reached = new Set<number>();
    const next = new Set<number>();
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (reached.has(index)) continue;
      reached.add(index);
      spend();
      const instruction = program[index]!;
      switch (instruction.is) {
        case "end":
          if (endsAt === undefined || endsAt === at) return true;
          break;
        case "jump":
          open.push(...instruction.to);
          break;
        case "assert":
          if (instruction.holds(points, at, spend)) open.push(index + 1);
          break;
        case "one":
          if (at < points.length && instruction.takes(points[at]!)) next.add(index + 1);
          break;
      }
    }
    if (next.size === 0 && isSearch !== true) return false;
    current = next;
  }
  return false;
}
