import { parentPort, workerData } from "node:worker_threads";
import { createAjv } from "./create-ajv.ts";
import type { ToMatch } from "./match-schema.ts";

const { schema, value } = workerData as ToMatch;
parentPort?.once("message", () => parentPort?.postMessage(whyNot() ?? null));
parentPort?.postMessage("ready");

function whyNot(): string | undefined {
  const ajv = createAjv({ strict: false, logger: false });
  const validate = compile(ajv);
  if (typeof validate === "string") return validate;
  if (validate(value)) return undefined;
  const [first] = validate.errors ?? [];
  const place = first?.instancePath.slice(0, 200);
  return `the answer does not match the schema: ${place === "" ? "it" : place} ${first?.message ?? "is refused"}`;
}

function compile(ajv: ReturnType<typeof createAjv>) {
  try {
    return ajv.compile(schema as object);
  } catch (error) {
    return `its schema cannot be used: ${(error as Error).message.slice(0, 200)}`;
  }
}
