import { useEffect, useState } from "preact/hooks";
import { client, isOnline, signedOut } from "./data/client.ts";
import { goLive } from "./data/live.ts";
import { useQuery } from "./data/query-cache.ts";
import { beginSession, followPastedLinks, may, session, signInError, signOut } from "./data/session.ts";
import { useValue } from "./data/value.ts";
import { ThemeButton } from "./design/theme.tsx";
import { CommandPalette } from "./palette/command-palette.tsx";
import { Shortcuts, useShortcuts } from "./parts/shortcuts.tsx";
import { useCurrentInView } from "./parts/use-current-in-view.ts";
import { readAddress } from "./routing/addresses.ts";
import { Page } from "./routing/page.tsx";
import { placesFor } from "./routing/places.ts";
import { Link, useAddress } from "./routing/router.tsx";
import { SignInPage } from "./sign-in/sign-in-page.tsx";

/** The whole page: who is signed in decides what there is to see. */
export function App() {
  const who = useValue(session);
  const { pathname } = useAddress();
  useEffect(() => void beginSession(), []);
  useEffect(followPastedLinks, []);
  useEffect(() => signedOut.subscribe(() => session.set(null)), []);
  const isSignedIn = Boolean(who);
  useEffect(() => (isSignedIn ? goLive() : undefined), [isSignedIn]);
  if (who === undefined) return <main class="center faint">Loading…</main>;
  const isOpen = pathname === "/docs" || readAddress(pathname) === undefined;
  if (who === null) return isOpen ? <OpenPage /> : <SignInPage />;
  return <SignedIn name={who.name} />;
}

/** What everybody may read, also who is not signed in; and that there is no such page. */
function OpenPage() {
  return (
    <>
      <header class="bar">
        <Brand />
        <span class="live-space" />
        <ThemeButton />
      </header>
      <main id="content">
        <Page />
      </main>
    </>
  );
}

type Opened = "help" | "palette" | undefined;

function SignedIn({ name }: { readonly name: string }) {
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  useShortcuts({ onHelp: () => setOpened("help"), onPalette: () => setOpened("palette") });
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="bar">
        <Brand />
        <button type="button" class="palette-button" onClick={() => setOpened("palette")}>
          Go to… <kbd>Ctrl K</kbd>
        </button>
        <Connection />
        <ThemeButton />
        <span class="who" title={`Signed in as ${name}`}>
          {name}
        </span>
        <button type="button" class="plain" onClick={() => void signOut()}>
          Sign out
        </button>
      </header>
      <div class="shell">
        <Places />
        <main id="content">
          <Refused />
          <Page />
        </main>
      </div>
      {opened === "help" && <Shortcuts onClose={close} />}
      {opened === "palette" && <CommandPalette onClose={close} onHelp={() => setOpened("help")} />}
    </>
  );
}

function Brand() {
  return (
    <Link href="/" class="brand" aria-label="Slipway, all projects">
      <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
        <path d="M2 12h12M4 12 6 4h5l1.5 8" fill="none" stroke="currentColor" stroke-width="1.8" />
      </svg>
      <span>Slipway</span>
    </Link>
  );
}

/** Says why a sign-in link was not followed. */
function Refused() {
  const reason = useValue(signInError);
  if (reason === "") return null;
  return (
    <p class="notice error" role="alert">
      The link signs in somebody else, and was not followed. {reason}
    </p>
  );
}

/** Where one can go, as far as one may. */
function Places() {
  const { pathname } = useAddress();
  const row = useCurrentInView(pathname);
  return (
    <nav aria-label="Main" ref={row}>
      {placesFor().map(({ name, href }) => (
        <Link key={href} href={href} aria-current={isAt(pathname, href) ? "page" : undefined}>
          {name}
          {href === "/approvals" && <PendingCount />}
        </Link>
      ))}
    </nav>
  );
}

function isAt(pathname: string, href: string): boolean {
  return href === "/" ? pathname === "/" || pathname.startsWith("/projects") : pathname.startsWith(href);
}

const maxCounted = 9;

function PendingCount() {
  const { data } = useQuery(may("projects:read") ? "approvals/count" : undefined, () =>
    client.call("listPendingApprovals", { query: { limit: maxCounted } }),
  );
  if (data === undefined || data.approvals.length === 0) return null;
  return (
    <strong>
      {data.approvals.length}
      {data.next_cursor !== null && "+"}
    </strong>
  );
}

function Connection() {
  const online = useValue(isOnline);
  return (
    <span class={online ? "live" : "live live-off"} role="status">
      {online ? "Live" : "Reconnecting…"}
    </span>
  );
}
