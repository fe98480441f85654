import type { CompleteSpec } from "@slipway/spec";
import type { Scripts } from "../plugin.ts";
import { FileSet } from "./file-set.ts";
import { type NodePackage, nodePackage, type PackageLayout } from "./node-package.ts";
import { placeTests, type TestGlobs, testCommand } from "./test-places.ts";

/** A package of plain JavaScript, made of a type's templates. */
export interface NodeProject extends Omit<NodePackage, "files"> {
  /** Made when they are wanted: a plan needs none. */
  readonly files: () => FileSet;
}

interface ProjectLayout extends Omit<PackageLayout, "commands"> {
  /** Where the type puts its tests unless the document says otherwise. */
  readonly testGlobs: TestGlobs;
  /** The command that runs the tests at these paths, if the default does not fit. */
  readonly testCommand?: (paths: readonly string[]) => string;
  readonly commands?: Omit<Scripts, "test">;
  /** Templates that the type does not copy, but writes with values of the document. */
  readonly written?: readonly string[];
}

/** Makes the package: templates, tests where the document wants them, and package.json. */
export function nodeProject(
  document: CompleteSpec,
  templates: ReadonlyMap<string, string>,
  { testGlobs, testCommand: commandFor = testCommand, commands = {}, written = [], ...layout }: ProjectLayout,
): NodeProject {
  const { tests, unmet } = placeTests(document, templates, testGlobs);
  const test = commandFor(tests.all.map(({ path }) => path));
  const made = nodePackage(document, { ...layout, commands: { ...commands, test } });
  const files = () => {
    const set = new FileSet().addAll(made.files).addAll(tests);
    for (const [path, text] of templates)
      if (!path.startsWith("tests/") && !written.includes(path)) set.add(path, text);
    return set;
  };
  return { ...made, files, unmet: [...made.unmet, ...unmet] };
}
