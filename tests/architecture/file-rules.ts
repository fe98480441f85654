import type { Codebase, Violation } from "./codebase.ts";
import { violationsOf } from "./violations-of.ts";

const sources = "packages/server/src/";
const door = "platform/project-files";

/** Where the server meets the files of a project. */
const foldersWithProjects = ["features/", "engine/", "agents/", "verification/", "deployment/", "platform/archive/"];

/** Files there that touch other folders than those in which a project's agents and programs write, and which. */
const others: Readonly<Record<string, string>> = {
  "agents/drivers/command/probe-program.ts": "looks for programs on the PATH",
  "deployment/containers/build-image.ts": "makes a folder for the file that an image is built by",
  "deployment/containers/environment-file.ts": "makes a file of its own and removes it",
  "deployment/containers/find-engine.ts": "looks for a program of the engine's",
  "deployment/containers/known-engines.ts": "keeps a list in the data folder",
  "deployment/containers/run-arguments.ts": "reads the kernel's limits of this process",
  "deployment/host-id.ts": "keeps the name of the data folder in it",
  "deployment/ssh/machine.ts": "writes down the operator's host key in the data folder",
  "deployment/ssh/shared-connection.ts": "has the ssh client's socket in a temporary folder of its own",
  "deployment/release-folders.ts": "makes and removes the folders around the trees",
  "deployment/sealed-files.ts": "keeps archives beside the trees, and fills new folders that no program has seen yet",
  "deployment/supervisor/supervisor-process.ts": "opens the supervisor's own log in the data folder",
  "deployment/supervisor/supervisor-socket.ts": "guards the supervisor's own socket in the data folder",
  "deployment/releases/own-programs.ts": "reads programs of the service that go with a release",
  "deployment/releases/point-current.ts": "exchanges the link to a release, beside its folder",
  "engine/workspaces/workspaces.ts": "moves the folders around the trees",
  "engine/workspaces/attempt-folders.ts": "makes and removes the folders around the trees",
  "engine/workspaces/sweep-unfinished.ts": "looks into the service's own repositories",
  "engine/workspaces/package-cache.ts": "makes the folders of caches, and reads nothing in them",
  "features/auth/first-admin.ts": "writes the administrator's token into the data folder",
  "features/dashboard/serve-dashboard.ts": "reads the pages that came with the service",
  "features/operations/docs-page.ts": "reads a page of a package",
  "verification/browser/find-browser.ts": "looks for Chromium among the system's programs",
  "verification/browser/forward-ports.ts": "makes a folder for sockets",
  "verification/browser/run-flows.ts": "makes a folder for a browser, which is read through the door",
  "verification/tests/report-folder.ts": "makes folders for reports, which it reads through the door",
  "platform/archive/link-spool.ts": "keeps a file without a name in a new folder that no program has seen yet",
  "platform/archive/unpack-folder.ts": "fills a new folder that no program has seen yet",
};

/** Files that make folders with random names by themselves, and who removes those after a kill. */
const ownSweeps: Readonly<Record<string, string>> = {
  "platform/temporary-folders.ts": "is the door",
  "platform/sandbox/run-folders.ts": "the sandbox's sweep knows which runs are in flight",
  "app/worker/own-folder.ts": "the next worker removes the folders of dead ones",
  "app/worker/lease-work.ts": "makes folders in the worker's own",
};

/** What a killed process leaves in a temporary folder is there for ever, unless its name says whose it was. */
export function temporaryFoldersHaveOneDoor({ packages }: Codebase): Violation[] {
  const message = "a kill -9 leaves this folder for ever: make it with platform/temporary-folders.ts";
  return packages.flatMap(({ files }) =>
    files
      .filter(({ path }) => path.startsWith(sources) && !(path.slice(sources.length) in ownSweeps))
      .flatMap(({ path, text }) => {
        const lines = text.split("\n").flatMap((line, at) => (/\bmkdtemp/.test(line) ? [at + 1] : []));
        return lines.slice(0, 1).map((line) => ({ file: path, line, message }));
      }),
  );
}

/** A project's file may be a pipe, a link or a device, and change at any moment: only the door is made for that. */
export function projectFilesHaveOneDoor(codebase: Codebase): Violation[] {
  return violationsOf(codebase, ({ folder }, { path }, { specifier, isTypeOnly }) => {
    if (folder !== "server" || isTypeOnly || !/^(node:)?fs(\/|$)/.test(specifier)) return undefined;
    const file = path.slice(sources.length);
    if (!foldersWithProjects.some((one) => file.startsWith(one)) || file in others) return undefined;
    return `'${specifier}' is not for files of projects: use ${door}, or explain in tests/architecture/file-rules.ts`;
  });
}
