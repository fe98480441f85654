import { builtInTaskIds, taskAsData, type WorkPlan } from "./work-plan.ts";

/** Writes a plan as `tasks.yaml`, for people and for `readTaskBreakdown`. Built-in tasks are left out. */
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

/** Whether the text can be written as a `|-` block. */
function isBlock(text: string): boolean {
  return /^[!-~¡-\u024f][ -~¡-\u024f]*(\n+[!-~¡-\u024f][ -~¡-\u024f]*)+$/.test(text);
}

function blockOf(text: string): string {
  return ` |-\n${text.replace(/^(?=.)/gm, "      ")}`;
}

/** Plain scalars: letters and digits with single separators, unless they are a keyword of YAML. */
const plain = /^(?:\/|[\p{L}_])[\p{L}\p{N}_]*(?:[ .,/~()'-]+[\p{L}\p{N}_]+)*$/u;
const words = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

function scalarOf(text: string): string {
  if (text.length <= maxPlainLength && plain.test(text) && !words.test(text)) return text;
  // Characters that JSON leaves unescaped, and YAML or our reader refuses.
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const maxPlainLength = 200;
