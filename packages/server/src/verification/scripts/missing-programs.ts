import { hasPythonModule, isOnPath } from "../../platform/process/index.ts";

/** A program that scripts start and this machine does not have. */
export interface MissingProgram {
  readonly program: string;
  /** The script that starts it. */
  readonly script: string;
  readonly remedy: string;
}

/** Programs that no project brings along, and their packages. Others may come with what a build installs. */
const packages: Readonly<Record<string, string>> = {
  bash: "bash",
  cargo: "cargo",
  dotnet: "dotnet-sdk-8.0",
  gcc: "gcc",
  git: "git",
  go: "golang-go",
  java: "default-jdk",
  javac: "default-jdk",
  make: "make",
  mvn: "maven",
  php: "php-cli",
  pip: "python3-pip",
  pip3: "python3-pip",
  podman: "podman",
  python: "python-is-python3",
  python3: "python3",
  ruby: "ruby",
  rustc: "rustc",
};

/** Which of these scripts start a program that is not there. */
export async function missingPrograms(
  scripts: Readonly<Record<string, unknown>>,
  path?: string,
): Promise<readonly MissingProgram[]> {
  const missing: MissingProgram[] = [];
  for (const [script, command] of Object.entries(scripts)) {
    if (typeof command !== "string") continue;
    for (const program of programsIn(command)) {
      const name = Object.hasOwn(packages, program) ? packages[program] : undefined;
      if (name === undefined || missing.some((one) => one.program === program)) continue;
      if (!(await isOnPath(program, path))) missing.push({ program, script, remedy: `Run 'apt install ${name}'.` });
    }
  }
  return [...missing, ...(await missingPytest(scripts, path))];
}

/** A project may install pytest for itself; where no script does, this machine must have it. */
async function missingPytest(
  scripts: Readonly<Record<string, unknown>>,
  path: string | undefined,
): Promise<readonly MissingProgram[]> {
  const commands = Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const [script] = commands.find(([, command]) => /(?:^|[;&|]\s*)(?:python3? -m )?pytest(?=\s|$)/.test(command)) ?? [];
  const isInstalled = commands.some(([, command]) => /\b(?:pip3?|venv|poetry|uv|conda|pdm)\b/.test(command));
  if (script === undefined || isInstalled || (await hasPythonModule("pytest", path))) return [];
  return [{ program: "pytest", script, remedy: "Run 'apt install python3-pytest'." }];
}

/** The first word of each command, without what sets its environment. */
function programsIn(script: string): string[] {
  const commands = script.split(/&&|\|\||[;|\n]/);
  return commands.flatMap((command) =>
    command
      .trim()
      .replace(/^(?:\w+=\S*\s+)*/, "")
      .split(/\s+/, 1),
  );
}
