import { findPluginType, type ResolvedSpec, resolveSpec, type SpecDocument } from "@slipway/spec";
import { UnreadableDocument } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { DocumentReader } from "./document-reader.ts";
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

  async find(projectId: string): Promise<ResolvedSpec> {
    const resolved = this.#cached.get(projectId) ?? (await this.#read(projectId));
    this.#cached.delete(projectId);
    this.#cached.set(projectId, resolved);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > maxCached && oldest !== undefined) this.#cached.delete(oldest);
    return resolved;
  }

  async #read(projectId: string): Promise<ResolvedSpec> {
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
    const document = JSON.parse(json) as SpecDocument;
    return resolveSpec(document, environment, findPluginType(this.#reader.plugins, document)?.type);
  }
}
