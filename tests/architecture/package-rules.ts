import { isBuiltin } from "node:module";
import { dirname } from "node:path/posix";
import { type Codebase, isRelative, ownPackage, resolveRelative, type Violation } from "./codebase.ts";
import { violationsOf } from "./violations-of.ts";

/** Which of our packages each package may import. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  spec: [],
  contract: ["spec"],
  client: ["contract", "spec"],
  blueprints: ["contract", "spec"],
  server: ["blueprints", "contract", "spec"],
  cli: ["client", "contract", "spec"],
  dashboard: ["client", "contract", "spec"],
};

/** Packages that run in browsers. */
const withoutNode = ["spec", "contract", "client", "dashboard"];

/** Packages of others that are at home in more than one file, each with why. */
const inManyFiles: Readonly<Record<string, string>> = {
  commander: "each command says its own arguments and options, in a file of its own",
  preact: "each page and part of the dashboard is a file of components",
  kysely: "each domain has its SQL in its store.ts; a rule of the server says where else it may be",
  pg: "as kysely",
};

export function packagesAreKnown({ packages }: Codebase): Violation[] {
  return packages
    .filter(({ folder }) => !(folder in arrows))
    .map(({ folder }) => ({
      file: `packages/${folder}/package.json`,
      line: 1,
      message: `the package '${folder}' is new: say in tests/architecture/package-rules.ts what it may import`,
    }));
}

export function arrowsAreAllowed(codebase: Codebase): Violation[] {
  return violationsOf(codebase, ({ folder }, _file, { specifier }) => {
    const target = ownPackage(specifier);
    const allowed = arrows[folder];
    if (!target || !allowed || allowed.includes(target.folder)) return undefined;
    const may = allowed.length > 0 ? `only ${allowed.join(", ")}` : "none of our packages";
    return `${folder} must not import ${target.folder}: it may import ${may}`;
  });
}

export function packagesAreEnteredByTheirExports(codebase: Codebase): Violation[] {
  return violationsOf(codebase, ({ folder }, file, { specifier }) => {
    if (isRelative(specifier)) {
      const path = resolveRelative(file, specifier);
      if (path.startsWith(`packages/${folder}/`)) return undefined;
      return `'${specifier}' leaves the package: import another package by its name`;
    }
    const target = ownPackage(specifier);
    const { exports = [] } = codebase.packages.find((one) => one.folder === target?.folder) ?? {};
    if (!target || exports.some((subpath) => matches(subpath, target.subpath))) return undefined;
    return `'${specifier}' is not among what ${target.folder} exports (${exports.join(", ") || "nothing"})`;
  });
}

export function browserPackagesAreFreeOfNode(codebase: Codebase): Violation[] {
  return violationsOf(codebase, ({ folder }, _file, { specifier }) =>
    withoutNode.includes(folder) && isBuiltin(specifier)
      ? `${folder} runs in browsers, which have no '${specifier}'`
      : undefined,
  );
}

export function dependenciesHaveOneHome(codebase: Codebase): Violation[] {
  const homes = new Map<string, string>();
  return violationsOf(codebase, ({ folder }, { path }, { specifier }) => {
    const name = dependencyName(specifier);
    if (name === undefined || name in inManyFiles) return undefined;
    const here = dirname(path);
    const home = homes.get(`${folder} ${name}`) ?? here;
    homes.set(`${folder} ${name}`, home);
    if (home === here) return undefined;
    return `'${name}' is imported in ${home} already: use it through that folder, or say in package-rules.ts why not`;
  });
}

/** The name of a package that is neither ours nor Node's: `@scope/name` of `@scope/name/deep.js`. */
function dependencyName(specifier: string): string | undefined {
  if (isRelative(specifier) || isBuiltin(specifier) || ownPackage(specifier)) return undefined;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** `./icons/*` of a package's exports matches `./icons/ship.svg`. */
function matches(subpath: string, wanted: string): boolean {
  const [before, after] = subpath.split("*");
  return after === undefined ? subpath === wanted : wanted.startsWith(before!) && wanted.endsWith(after);
}
