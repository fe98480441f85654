import { text } from "node:stream/consumers";
import { runStep } from "./run-step.js";
import { loadSettings } from "./settings.js";

/** The pipeline as a program of the terminal, in the folder where it is started. */
export async function runProgram(words) {
  process.exitCode = await runStep(words, {
    settings: loadSettings(),
    folder: process.cwd(),
    readInput: () => text(process.stdin),
    print: (line) => console.log(line),
    complain: (line) => console.error(line),
  });
}
