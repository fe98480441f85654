import { SlipwayError } from "@slipway/client";
import type { Scope, Session } from "@slipway/contract";
import { navigate } from "../routing/router.tsx";
import { client, explain } from "./client.ts";
import { Value } from "./value.ts";

/** Who is signed in: nobody knows yet (undefined), nobody (null), or somebody. */
export const session = new Value<Session | null | undefined>(undefined);

/** Why the last sign-in did not work; empty: it did, or there was none. */
export const signInError = new Value("");

const marker = "#sign-in=";
const begunKey = "slipway-sign-in";
const cameBack = /^\/sign-in\/([\w-]+)$/;

/** Signs in by the code in the address, if there is one; else finds out who is signed in. */
export async function beginSession(): Promise<void> {
  const code = location.hash.startsWith(marker) ? location.hash.slice(marker.length) : undefined;
  if (code !== undefined) {
    // At once: the code must stay in no history and no bookmark.
    history.replaceState(null, "", location.pathname + location.search);
    if (await signIn(code).catch(noteRefusal)) return;
  }
  const provider = cameBack.exec(location.pathname)?.[1];
  if (provider !== undefined && location.search !== "") return finishSignIn(provider);
  session.set(await client.call("readSession").catch(() => null));
}

/** Follows a link that is pasted into a page which is open already: the browser does not load it again. */
export function followPastedLinks(): () => void {
  const follow = () => {
    if (location.hash.startsWith(marker)) void beginSession();
  };
  addEventListener("hashchange", follow);
  return () => removeEventListener("hashchange", follow);
}

/** Somebody else is signed in here: a link that quietly did nothing would look as if it had worked. */
function noteRefusal(error: unknown): false {
  if (error instanceof SlipwayError && error.status === 403) signInError.set(explain(error));
  return false;
}

/** Goes to a provider's page to sign in; the provider sends the browser back to `/sign-in/<name>`. */
export async function beginSignIn(provider: string): Promise<void> {
  const here = location.pathname + location.search;
  const return_to = here.startsWith("/sign-in") ? "/" : here;
  const { url } = await client.call("beginSignIn", { params: { provider }, body: { return_to } });
  // Cookies are shared with what runs on other ports of this host; this storage is not.
  sessionStorage.setItem(begunKey, new URL(url).searchParams.get("state") ?? "");
  location.assign(url);
}

/** Signs in with what a provider has sent along. */
async function finishSignIn(provider: string): Promise<void> {
  const parameters = location.search.slice(1);
  // At once: it works only once, and must stay in no history.
  navigate("/sign-in", { replaces: true });
  const begun = sessionStorage.getItem(begunKey);
  sessionStorage.removeItem(begunKey);
  try {
    if (begun === null || begun !== new URLSearchParams(parameters).get("state"))
      throw new Error("This sign-in was not begun in this browser window. Sign in again.");
    const answer = await client.call("finishSignIn", { params: { provider }, body: { parameters } });
    navigate(answer.return_to, { replaces: true });
    session.set(answer.session);
  } catch (error) {
    signInError.set(explain(error));
    session.set(null);
  }
}

/** Signs in with a code, a key or a token. */
export async function signIn(credential: string): Promise<boolean> {
  session.set(await client.call("signIn", { body: { credential } }));
  signInError.set("");
  return true;
}

export async function signOut(): Promise<void> {
  await client.call("signOut").catch(() => undefined);
  signInError.set("");
  session.set(null);
}

/** Whether the session has a scope. The service refuses what it has not; here it is only not offered. */
export function may(scope: Scope): boolean {
  return session.get()?.scopes.includes(scope) === true;
}

/** Whether a person of these roles is signed in, not a key: keys manage no secrets, keys or users. */
function isPerson(...roles: readonly Session["role"][]): boolean {
  const who = session.get();
  return who !== null && who !== undefined && !who.is_api_key && roles.includes(who.role);
}

/** Whether the session may manage users and read the audit log. */
export function isAdmin(): boolean {
  return isPerson("svc:admin");
}

/** Whether the session may manage its own secrets and keys. */
export function isKeyMaker(): boolean {
  return isPerson("svc:admin", "svc:user");
}
