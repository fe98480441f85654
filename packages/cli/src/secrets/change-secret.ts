import type { ServiceContext } from "../command.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";

const maxLength = 64 * 1024;

export async function setSecret(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, signal } = context;
  const params = { name: nameOf(context) };
  const value = await readValue(terminal, params.name);
  const secret = await client.call("setSecret", { params, query: queryOf(context), body: { value }, signal });
  print(
    context,
    secret,
    () => `${printable(secret.name)} is set${secret.is_shared ? " for everybody's documents" : ""}`,
  );
  return exitCode.ok;
}

export async function removeSecret(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const name = nameOf(context);
  await client.call("removeSecret", { params: { name }, query: queryOf(context), signal });
  print(context, { name, removed: true }, () => `${printable(name)} is removed`);
  return exitCode.ok;
}

/** A name that is no name would lead to another address. */
function nameOf({ args: [name = ""] }: ServiceContext): string {
  if (/^[\w][\w.-]*$/.test(name)) return name;
  throw new UsageError("a secret's name has letters, digits, '_', '.' and '-' only, such as DATABASE_URL");
}

function queryOf({ options }: ServiceContext): { shared?: boolean } {
  return options["shared"] === true ? { shared: true } : {};
}

/** What a person types unseen; else all of standard input, without the line break at its end. */
async function readValue({ input, askHidden }: Terminal, name: string): Promise<string> {
  const value = askHidden === undefined ? await readAll(input) : await askHidden(`Value of ${name}: `);
  if (value === "") throw new UsageError("the value is empty; give it on standard input");
  return value;
}

async function readAll(input: Terminal["input"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > maxLength) throw new UsageError(`the value on standard input has more than ${maxLength} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
