import { builtInTaskIds, taskAsData, type WorkPlan } from "./work-plan.ts";

/** A plan as `tasks.yaml`: for people to read and edit, and for `readTaskBreakdown`. Built-in tasks are not in it. */
export function writeTaskBreakdown({ tasks }: WorkPlan): string {
  const own = tasks.filter(({ id }) => !builtInTaskIds.includes(id));
  const entries = own.map((task) => {
    const fields = Object.entries(taskAsData(task)).map(([key, value]) => `${key}:${fieldValue(value)}`);
    return `  - ${fields.join("\n    ")}\n`;
  });
  return `# The tasks of the plan; ${builtInTaskIds.join(", ")} are added to them.\ntasks:\n${entries.join("")}`;
}

function fieldValue(value: string | number | readonly string[]): string {
  if (typeof value === "number") return ` ${value}`;
  if (typeof value === "string") return isBlock(value) ? blockOf(value) : ` ${scalarOf(value)}`;
  return value.length === 0 ? " []" : value.map((item) => `\n      - ${scalarOf(item)}`).join("");
}

/** Lines that can stand as they are, below a `|-`. */
function isBlock(text: string): boolean {
  return /^[!-~¡-\u024f][ -~¡-\u024f]*(\n+[!-~¡-\u024f][ -~¡-\u024f]*)+$/.test(text);
}

function blockOf(text: string): string {
  return ` |-\n${text.replace(/^(?=.)/gm, "      ")}`;
}

/** Letters and digits with single spaces and some signs between them mean themselves, if they are no word of YAML's. */
const plain = /^(?:\/|[\p{L}_])[\p{L}\p{N}_]*(?:[ .,/~()'-]+[\p{L}\p{N}_]+)*$/u;
const words = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

function scalarOf(text: string): string {
  if (text.length <= longestPlain && plain.test(text) && !words.test(text)) return text;
  // What JSON leaves as it is and YAML, or our reader, does not take.
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const longestPlain = 200;
