import { text } from "node:stream/consumers";
import { createClient, SlipwayError } from "@slipway/client";
import { type Context, type ServiceContext, textOf } from "../command.ts";
import { explainError } from "../connection/explain-error.ts";
import { CommandError, type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { print, printList } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { fields } from "../output/table.ts";
import { logInFromCi } from "./ci-login.ts";
import { contextsFile, type KeptLogin, readContexts, writeContexts } from "./contexts.ts";
import { logInByBrowser } from "./device-login.ts";
import { freshToken, keptTokens } from "./fresh-token.ts";

/** Checks a token and keeps it. */
export async function logIn(context: Context): Promise<ExitCode> {
  const { terminal, args, options } = context;
  const [address = ""] = args;
  const { protocol, host, origin } = URL.parse(address) ?? {};
  if (protocol !== "http:" && protocol !== "https:")
    throw new UsageError(`'${address}' is not a service address such as https://slipway.example.com`);
  const url = origin!;
  const login = await getIn(context, url);
  const caller = await createClient({ url, token: login.token })
    .call("readCaller", {})
    .catch((error: unknown) => {
      throw explainError(terminal, error, options);
    });
  const name = textOf(options, "context") ?? host!;
  const { contexts } = readContexts(terminal.env);
  writeContexts(terminal.env, { current: name, contexts: { ...contexts, [name]: { url, ...login } } });
  print(
    context,
    { context: name, url, ...caller },
    () => `Logged in to ${url} as ${printable(caller.name)} (${caller.role})`,
  );
  terminal.err(`Kept as '${printable(name)}' in ${contextsFile(terminal.env)}`);
  return exitCode.ok;
}

/** By the token that is given, or piped in; where somebody sits before the terminal, by their browser. */
async function getIn(context: Context, url: string): Promise<Omit<KeptLogin, "url">> {
  const { terminal, options } = context;
  const given = textOf(options, "token");
  if (given !== undefined) return { token: given };
  if (options["ci"] === true) {
    return logInFromCi(terminal, url, options).catch((error: unknown) => {
      throw error instanceof CommandError || error instanceof UsageError
        ? error
        : explainError(terminal, error, options);
    });
  }
  if (options["web"] !== true && terminal.askHidden === undefined) return { token: await readToken(context) };
  try {
    return keptTokens(await logInByBrowser(terminal, url));
  } catch (error) {
    // A service from before there was a login by browsers.
    const isOlder = error instanceof SlipwayError && error.status === 404;
    if (isOlder) return { token: await readToken(context) };
    throw error instanceof CommandError ? error : explainError(terminal, error, options);
  }
}

async function readToken({ terminal }: Context): Promise<string> {
  const typed = await (terminal.askHidden?.("Token: ") ?? text(terminal.input));
  const token = typed.trim();
  if (token === "") throw new UsageError("give a token: type it, pipe it in, or use --token");
  return token;
}

export async function logOut(context: Context): Promise<ExitCode> {
  const { terminal, options } = context;
  const { current, contexts } = readContexts(terminal.env);
  const name = textOf(options, "context") ?? current;
  if (name === null || contexts[name] === undefined) throw noContext(name);
  const { [name]: login, ...rest } = contexts;
  // A token that somebody gave may be in use elsewhere; a login by a browser is this command line's own.
  if (login?.refresh_token !== undefined) {
    const token = await freshToken(terminal.env, name, login);
    await createClient({ url: login.url, token })
      .call("endSession", { params: { session_id: "current" } })
      .catch(() => terminal.err("The service could not be told: the login ends there by itself."));
  }
  writeContexts(terminal.env, { current: current === name ? null : current, contexts: rest });
  print(context, { context: name, removed: true }, () => `'${printable(name)}' is forgotten`);
  return exitCode.ok;
}

export async function listContexts(context: Context): Promise<ExitCode> {
  const { current, contexts } = readContexts(context.terminal.env);
  const found = Object.entries(contexts).map(([name, { url }]) => ({ name, url, is_current: name === current }));
  printList(
    context,
    { contexts: found },
    {
      plural: "contexts; 'slipway login' makes one",
      headings: ["CURRENT", "NAME", "ADDRESS"],
      rows: found.map(({ name, url, is_current }) => [is_current ? "*" : "", name, url]),
    },
  );
  return exitCode.ok;
}

export async function useContext(context: Context): Promise<ExitCode> {
  const [name = ""] = context.args;
  const { contexts } = readContexts(context.terminal.env);
  if (contexts[name] === undefined) throw noContext(name);
  writeContexts(context.terminal.env, { current: name, contexts });
  print(context, { context: name, url: contexts[name].url }, () => `Using ${contexts[name]!.url} from now on`);
  return exitCode.ok;
}

export async function whoAmI(context: ServiceContext): Promise<ExitCode> {
  const { client, connection, signal } = context;
  const caller = await client.call("readCaller", { signal });
  const { dataFolder } = connection;
  print(context, { url: client.url, data_folder: dataFolder ?? null, ...caller }, () =>
    fields({
      service: client.url,
      "data folder": dataFolder,
      user: `${caller.name} (${caller.user_id})`,
      role: caller.role,
      "API key": caller.api_key_id ?? undefined,
      scopes: caller.scopes.join(", "),
    }).join("\n"),
  );
  return exitCode.ok;
}

function noContext(name: string | null): CommandError {
  const what = name === null ? "you are not logged in" : `there is no context '${printable(name)}'`;
  return new CommandError(exitCode.notFound, `${what}; 'slipway contexts list' shows what there is`);
}
