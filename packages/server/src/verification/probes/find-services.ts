import { type CompleteSpec, serviceGraph } from "@slipway/spec";
import { FileRefusal, listProjectFolder } from "../../platform/project-files/index.ts";
import { findScripts } from "../scripts/find-scripts.ts";

/** A service of the document for which the result has a program of its own. */
export interface FoundService {
  readonly name: string;
  /** From the project's folder. */
  readonly path: string;
  readonly start: string;
  readonly build?: string;
  readonly dependencies: readonly string[];
  /** The port that the document says it listens on. */
  readonly port?: number;
}

/** Each is a program with the document's memory. */
const maxServices = 30;

/** Why so many services are not started; undefined if they are few enough. */
export function whyTooManyServices(found: readonly FoundService[]): string | undefined {
  return found.length <= maxServices
    ? undefined
    : `More than ${maxServices} services have programs of their own: so many are not started. Put some into one program.`;
}

/** The services that have a folder whose own files say how to start them, each after those it depends on. */
export async function findServices(
  document: CompleteSpec,
  folder: string,
  signal: AbortSignal,
): Promise<readonly FoundService[]> {
  const graph = serviceGraph(document);
  if (graph.order.length === 0) return [];
  const inRoot = await foldersIn(folder, ".", signal);
  const inServices = inRoot.has("services") ? await foldersIn(folder, "services", signal) : new Set<string>();
  const found: FoundService[] = [];
  for (const name of graph.order) {
    // One more than are started tells that there are too many.
    if (found.length > maxServices) break;
    const path = inServices.has(name) ? `services/${name}` : inRoot.has(name) ? name : undefined;
    if (path === undefined) continue;
    const { start, build } = await findScripts({}, folder, signal, path);
    if (start === undefined) continue;
    const port = portOf(document.services?.[name]?.ports ?? []);
    const known = { name, path, start, dependencies: graph.dependenciesOf(name) };
    found.push({ ...known, ...(build !== undefined && { build }), ...(port !== undefined && { port }) });
  }
  return found;
}

/** Only real folders count: a link may lead out of the project. */
async function foldersIn(folder: string, path: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  try {
    const entries = await listProjectFolder(folder, path, { skipsOddNames: true, signal });
    return new Set(entries.filter(({ kind }) => kind === "folder").map(({ name }) => name));
  } catch (error) {
    if (error instanceof FileRefusal) return new Set();
    throw error;
  }
}

function portOf([first]: readonly string[]): number | undefined {
  return first === undefined ? undefined : Number(first.split(":")[1]);
}
