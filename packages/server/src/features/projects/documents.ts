import { findPluginType, type PluginType, type ResolvedSpec, resolveSpec, type SpecDocument } from "@slipway/spec";
import { type PlanContent, UnreadableDocument } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { DocumentReader } from "./document-reader.ts";
import { followingTargets, prepareRun } from "./prepare-run.ts";
import { findSubmission } from "./store.ts";

const maxCached = 20;

/** Finds the documents of projects, resolved for their environment, and caches the last ones. */
export class Documents {
  readonly #db: Database;
  readonly #reader: DocumentReader;
  /** The least recently used comes first. */
  readonly #cached = new Map<string, ResolvedSpec>();

  constructor(db: Database, reader: DocumentReader) {
    this.#db = db;
    this.#reader = reader;
  }

  /** The document for an environment, whose name is empty for the top level; without one, for the project's own. */
  async find(projectId: string, environment?: string): Promise<ResolvedSpec> {
    const key = environment === undefined ? projectId : `${projectId}/${environment}`;
    const resolved = this.#cached.get(key) ?? this.#resolve(await this.#read(projectId), environment);
    this.#keep(key, resolved);
    return resolved;
  }

  #keep(key: string, resolved: ResolvedSpec): void {
    this.#cached.delete(key);
    this.#cached.set(key, resolved);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > maxCached && oldest !== undefined) this.#cached.delete(oldest);
  }

  /** Derives the plan and the rules of a project's run from its document. */
  async prepare(projectId: string, reviewPlan: boolean): Promise<PlanContent> {
    const read = await this.#read(projectId);
    const found = this.#resolve(read);
    this.#keep(projectId, found);
    const following = followingTargets(read.document, found.environment?.name, this.#typeOf(read.document));
    return prepareRun(found, reviewPlan, { following });
  }

  async #read(projectId: string): Promise<Submitted> {
    const found = await findSubmission(this.#db, projectId);
    if (found === undefined) throw new Error(`The project ${projectId} does not exist.`);
    const environment = found.environment ?? undefined;
    const { json, diagnostics } = await this.#reader.read({ bytes: found.content, environment, isJsonWanted: true });
    if (json === undefined) {
      // A newer version may be stricter, or a plugin may be gone.
      const why = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
      throw new UnreadableDocument(
        `The service cannot read the document any more, although it was accepted once. ${why.join(" ")}`,
      );
    }
    return { document: JSON.parse(json) as SpecDocument, environment };
  }

  #resolve({ document, environment }: Submitted, asked?: string): ResolvedSpec {
    const target = asked === undefined ? environment : asked === "" ? null : asked;
    if (typeof target === "string" && !Object.hasOwn(document.environments ?? {}, target))
      throw new UnreadableDocument(`The document has no environment '${target}'.`);
    return resolveSpec(document, target, this.#typeOf(document));
  }

  #typeOf(document: SpecDocument): PluginType | undefined {
    return findPluginType(this.#reader.plugins, document)?.type;
  }
}

/** A document as it was sent, and the environment that it was sent for. */
interface Submitted {
  readonly document: SpecDocument;
  readonly environment: string | undefined;
}
