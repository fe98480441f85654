// @module-tag soak
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../tools/soak-runs.ts";
import type { Command } from "../src/command.ts";
import { commands } from "../src/commands.ts";
import { callInProcess } from "./every-command/call-in-process.ts";
import { openPlace, type Place } from "./every-command/place.ts";
import { last, lists, type Row } from "./every-command/rows.ts";
import { type Call, type Called, callInPipe, callInTerminal } from "./every-command/start-command.ts";

const all = new Map(
  commands.flatMap((one): [string, Command][] =>
    "commands" in one ? one.commands.map((below) => [`${one.name} ${below.name}`, below]) : [[one.name, one]],
  ),
);

test("every command has a row", () => {
  const rows = [...lists, last].flatMap((list) => Object.keys(list));
  expect(rows.toSorted()).toEqual([...all.keys()].toSorted());
});

// Some hundred processes: each has a limit of its own.
test("every command does its work in a terminal, and for a program in a pipe", { timeout: 1_200_000 }, async () => {
  const place = await openPlace();
  const before = process.cwd();
  process.chdir(place.folder);
  onTestFinished(() => process.chdir(before));
  const wrong = await Promise.all(lists.map((list) => tryAll(place, list)));
  wrong.push(await tryAll(place, last));
  expect(wrong.flat()).toEqual([]);
});

/** What is wrong with the commands of a list, one after the other. */
async function tryAll(place: Place, list: Readonly<Record<string, Row>>): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, row] of Object.entries(list)) {
    for (const [index, way] of waysFor(name, row).entries()) {
      try {
        await endsInTime(tryOne(place, { name, row, way, nth: index + 1 }));
      } catch (error) {
        wrong.push(`${name}, ${way.name}: ${(error as Error).message}`);
      }
    }
  }
  return wrong;
}

interface Try {
  readonly name: string;
  readonly row: Row;
  readonly way: typeof inTerminal;
  readonly nth: number;
}

async function tryOne(place: Place, { name, row, way, nth }: Try): Promise<void> {
  const args = [...name.split(" "), ...((await row.args?.(place, nth)) ?? [])];
  await way(name, row, { args, cwd: place.folder, env: place.env, ...pick(row) });
}

/** Longer than a process is given: what never ends is named, and the commands after it are tried. */
async function endsInTime(work: Promise<void>): Promise<void> {
  const over = new AbortController();
  const tooLate = delay(200_000, undefined, { signal: over.signal }).then(() => Promise.reject(new Error("no end")));
  try {
    await Promise.race([work, tooLate]);
  } finally {
    over.abort();
  }
}

/** A sixth of the commands in a terminal, the others in a pipe; `npm run test:long` tries each in both. */
function waysFor(name: string, { isForBoth }: Row) {
  const both = [inTerminal, inPipe];
  if (isForBoth) return both;
  return soakCases(name.length % 6 === 0 ? both : both.toReversed());
}

function pick({ input, until }: Row): Pick<Call, "input" | "until"> {
  return { ...(input !== undefined && { input }), ...(until !== undefined && { until }) };
}

async function inTerminal(_: string, { says, code = 0 }: Row, call: Call): Promise<void> {
  const called = await callInTerminal(call);
  const text = stripVTControlCharacters(called.out).replaceAll("\r", "");
  if (called.code !== code || !says.test(text)) throw new Error(`${called.code}, not ${code}, or not ${says}: ${text}`);
}

/** Data on standard output is JSON; a failure is JSON on standard error. */
async function inPipe(name: string, { says, code = 0 }: Row, call: Call): Promise<void> {
  if ("isPassThrough" in all.get(name)!) {
    const called = await callInPipe(call);
    const text = called.out + called.err;
    if (called.code !== code || text === "") throw new Error(`${called.code}, not ${code}, or not ${says}: ${text}`);
    return;
  }
  // One that goes on until Ctrl-C gets a real signal.
  const way = call.until === undefined ? callInProcess : callInPipe;
  const called = await way({ ...call, args: [...call.args, "--json"] });
  const isTold = code === 0 || code === 1 ? isJson(called.out) : isJson(called.err.replace(/^[^{].*\n/gm, ""));
  if (called.code !== code || !isTold) throw new Error(`${called.code}, not ${code}, or no JSON: ${textOf(called)}`);
}

/** One value, or one on each line. */
function isJson(text: string): boolean {
  const parses = (part: string) => {
    try {
      return typeof JSON.parse(part) === "object";
    } catch {
      return false;
    }
  };
  return parses(text) || text.trim().split("\n").every(parses);
}

function textOf({ out, err }: Called): string {
  return `${out.slice(0, 2_000)}\n${err.slice(0, 2_000)}`;
}
