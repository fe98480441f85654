import { parentPort } from "node:worker_threads";
import { type DocumentToRead, parseDocument } from "./parse-document.ts";

// A plain object: the YAML library looks into it for every token.
process.env = { ...process.env };

parentPort?.on("message", (document: DocumentToRead) => parentPort?.postMessage(parseDocument(document)));
