import { parentPort, workerData } from "node:worker_threads";
import type { KnownPlugin } from "@slipway/spec";
import { type DocumentToRead, parseDocument } from "./parse-document.ts";

// A plain object, because the YAML library reads it for every token.
process.env = { ...process.env };

const plugins = workerData as readonly KnownPlugin[];

parentPort?.on("message", (document: DocumentToRead) => parentPort?.postMessage(parseDocument(document, plugins)));
