import type { Package, Packages } from "../../../src/verification/tests/packages.ts";

type Scripts = Readonly<Record<string, string>>;

/** A project of one package with these scripts. */
export function onlyRoot(scripts: Scripts): Packages {
  return { all: [packageWith(".", "root", scripts)], workspaces: [] };
}

/** A project whose workspaces have these scripts, by their folders; they are named for those. */
export function withWorkspaces(scripts: Scripts, byFolder: Readonly<Record<string, Scripts>>): Packages {
  const workspaces = Object.entries(byFolder).map(([folder, own]) =>
    packageWith(folder, `@all/${folder.slice(folder.lastIndexOf("/") + 1)}`, own),
  );
  return { all: [packageWith(".", "root", scripts), ...workspaces], workspaces };
}

function packageWith(folder: string, name: string, scripts: Scripts): Package {
  return { folder, name, scripts, needs: new Set() };
}
