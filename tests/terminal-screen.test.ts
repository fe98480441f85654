import { expect, test } from "vitest";
import { TerminalScreen } from "../tools/terminal-screen.ts";

test("lines that are redrawn in place are seen as they stand in the end, with their colours", () => {
  const screen = new TerminalScreen();
  screen.write("$ run\r\none\ntwo\x1b[3");
  screen.write("2m!\x1b[0m");
  expect(screen.lines(9)).toEqual(["$ run", "one", "two\x1b[32m!\x1b[0m"]);
  screen.write("\r\x1b[1A\x1b[0Jthree\nfour");
  expect(screen.lines(9)).toEqual(["$ run", "three", "four"]);
  screen.write("\x1b[1m\x1b[31ma\x1b[39mb\x1b[22mc\r");
  expect(screen.lines(1)).toEqual(["four\x1b[1m\x1b[31ma\x1b[0m\x1b[1mb\x1b[0mc"]);
  screen.write("\rf\n");
  expect(screen.lines(1)).toEqual([""]);
});
