import { findPluginType, type ResolvedSpec, resolveSpec, type SpecDocument } from "@slipway/spec";
import { UnreadableDocument } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { DocumentReader } from "./document-reader.ts";
import { findSubmission } from "./store.ts";

const maxRemembered = 20;

/** The documents of projects as they hold for their environment; those used lately are remembered. */
export class Documents {
  readonly #db: Database;
  readonly #reader: DocumentReader;
  /** The one used longest ago comes first. */
  readonly #known = new Map<string, ResolvedSpec>();

  constructor(db: Database, reader: DocumentReader) {
    this.#db = db;
    this.#reader = reader;
  }

  async find(projectId: string): Promise<ResolvedSpec> {
    const resolved = this.#known.get(projectId) ?? (await this.#read(projectId));
    this.#known.delete(projectId);
    this.#known.set(projectId, resolved);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxRemembered && oldest !== undefined) this.#known.delete(oldest);
    return resolved;
  }

  async #read(projectId: string): Promise<ResolvedSpec> {
    const found = await findSubmission(this.#db, projectId);
    if (found === undefined) throw new Error(`There is no project ${projectId}.`);
    const environment = found.environment ?? undefined;
    const { json, diagnostics } = await this.#reader.read({ bytes: found.content, environment, isJsonWanted: true });
    if (json === undefined) {
      // A newer version may be stricter, and a plugin may be gone.
      const why = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
      throw new UnreadableDocument(
        `The service cannot read the document any more, although it was accepted once. ${why.join(" ")}`,
      );
    }
    const document = JSON.parse(json) as SpecDocument;
    return resolveSpec(document, environment, findPluginType(this.#reader.plugins, document)?.type);
  }
}
