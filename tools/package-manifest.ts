type Versions = Readonly<Record<string, string>>;

/** A `package.json` of the repository. */
export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly engines?: Versions;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: unknown;
}

/** The `package.json` of a package as it is published: compiled files, no tools. */
export function packageManifest(own: SourceManifest, root: SourceManifest): object {
  const { exports = {}, bin, dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = own;
  const isCommand = bin !== undefined;
  return {
    // People install the command by the product's name. It brings the Node that it runs with.
    name: isCommand ? root.name : own.name,
    version: own.version,
    description: isCommand ? root.description : own.description,
    license: own.license,
    type: "module",
    engines: root.engines,
    sideEffects: false,
    ...(bin !== undefined && { bin }),
    exports: Object.fromEntries(Object.entries(exports).map(([path, file]) => [path, target(file)])),
    files: ["src", "bin", "dist", "*.schema.json"],
    dependencies,
    optionalDependencies: isCommand ? root.optionalDependencies : optionalDependencies,
    peerDependencies,
    peerDependenciesMeta,
  };
}

function target(file: string): unknown {
  if (!file.endsWith(".ts")) return file;
  const base = file.slice(0, -".ts".length);
  return { types: `${base}.d.ts`, default: `${base}.js` };
}
