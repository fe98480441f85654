import { resolveInside } from "../../../../platform/project-files/index.ts";
import { runProgram } from "./run-program.ts";
import { type Tool, ToolRefusal } from "./tool.ts";

const searchMs = 30_000;
const maxMatches = 200;

export const run: Tool = {
  name: "run",
  description:
    "Runs a shell command in the project's folder and gives its exit code and output. All that it starts ends with it.",
  inputs: {
    command: { type: "string", description: "As typed into a shell." },
    seconds: { type: "integer", description: "How long it may take.", isOptional: true },
  },
  describe: (input) => input.text("command"),
  perform: async (context, input) => {
    const seconds = input.integer("seconds", { min: 1, ...context.runSeconds });
    const program = { command: "/bin/sh", args: ["-c", input.text("command")] };
    const end = await runProgram(context, program, { limitMs: seconds * 1000, isLogged: true });
    const how = end.isTimedOut ? `ended after ${seconds} seconds` : `exit code ${end.exitCode ?? "unknown"}`;
    return `[${how}]\n${end.output}`;
  },
};

/** Runs grep in the sandbox instead of searching in this process: a pattern can be made to take for ever. */
export const search: Tool = {
  name: "search",
  description: `Finds lines in the project's text files, at most ${maxMatches}: file, line number and line.`,
  inputs: {
    pattern: { type: "string", description: "The text to find." },
    is_regex: { type: "boolean", description: "The pattern is an extended regular expression.", isOptional: true },
    path: { type: "string", description: "Only below this path.", isOptional: true },
  },
  describe: (input) => input.text("pattern"),
  perform: async (context, input) => {
    const inside = await resolveInside(context.folder, input.optionalText("path") ?? ".");
    const pattern = input.text("pattern");
    if (pattern === "") throw new ToolRefusal("'pattern' is empty.");
    const kind = input.isSet("is_regex") ? "-E" : "-F";
    const besides = ["--exclude-dir=.git", "--exclude-dir=node_modules"];
    const args = ["-rnI", kind, "-m", "50", ...besides, "-e", pattern, "--", `./${inside}`];
    const end = await runProgram(context, { command: "grep", args }, { limitMs: searchMs, isLogged: false });
    if (end.isTimedOut) throw new ToolRefusal("The search took too long: search below a path, or for something else.");
    if (end.exitCode === 1) return "(nothing found)";
    const lines = end.output.split("\n").filter((line) => line !== "");
    const found = lines.slice(0, maxMatches).map((line) => line.replace(/^\.\/(\.\/)?/, "").slice(0, 400));
    if (end.exitCode !== 0 && found.length === 0) throw new ToolRefusal("The search could not be made.");
    return lines.length > maxMatches ? `${found.join("\n")}\n[… there is more]` : found.join("\n");
  },
};
