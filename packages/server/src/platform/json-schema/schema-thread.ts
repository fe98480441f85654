import { parentPort, workerData } from "node:worker_threads";
import { oneLine, shortened } from "../one-line.ts";
import { createAjv } from "./create-ajv.ts";
import type { ToMatch } from "./match-schema.ts";

const { schema, value } = workerData as ToMatch;
parentPort?.once("message", () => parentPort?.postMessage(whyNot() ?? null));
parentPort?.postMessage("ready");

function whyNot(): string | undefined {
  // An object of JSON has no other properties than its own: `toString` is none that an answer has.
  const ajv = createAjv({ strict: false, logger: false, ownProperties: true });
  const validate = compile(ajv);
  if (typeof validate === "string") return validate;
  if (validate(value)) return undefined;
  const [first] = validate.errors ?? [];
  // The path has names that a program chose: it is masked after it was cut.
  const place = shortened(first?.instancePath ?? "", maxQuoted);
  return `the answer does not match the schema: ${place === "" ? "it" : place} ${first?.message ?? "is refused"}`;
}

const maxQuoted = 200;

function compile(ajv: ReturnType<typeof createAjv>) {
  try {
    const validate = ajv.compile(schema as object);
    // It would answer with a promise, which is as good as a yes to whoever does not wait for it.
    return "$async" in validate ? "its schema cannot be used: it must not have '$async'" : validate;
  } catch (error) {
    return `its schema cannot be used: ${oneLine((error as Error).message, maxQuoted)}`;
  }
}
