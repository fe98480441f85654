import type { PermissionOption, PermissionOptionKind, RequestPermissionResponse } from "@agentclientprotocol/sdk";

/** What the agent has asked for and nobody has answered yet. */
export class Permissions {
  readonly #open = new Map<string, (isAllowed: boolean | undefined) => void>();
  #asked = 0;
  #isClosed = false;

  /** Asks, and waits as long as it takes: deadlines are not ours. */
  async ask(options: readonly PermissionOption[], tell: (id: string) => void): Promise<RequestPermissionResponse> {
    if (this.#isClosed) return { outcome: { outcome: "cancelled" } };
    this.#asked += 1;
    const id = `permission-${this.#asked}`;
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    this.#open.set(id, resolve);
    tell(id);
    const isAllowed = await promise;
    const chosen = isAllowed === undefined ? undefined : chooseOption(options, isAllowed);
    if (chosen === undefined) return { outcome: { outcome: "cancelled" } };
    return { outcome: { outcome: "selected", optionId: chosen.optionId } };
  }

  /** Only the first answer counts. */
  answer(id: string, isAllowed: boolean): void {
    this.#open.get(id)?.(isAllowed);
    this.#open.delete(id);
  }

  /** The protocol wants an answer to everything that was asked, also when the work is cancelled. */
  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#open.values()) resolve(undefined);
    this.#open.clear();
  }
}

const allowing: readonly PermissionOptionKind[] = ["allow_once", "allow_always"];
const rejecting: readonly PermissionOptionKind[] = ["reject_once", "reject_always"];

/** The option that goes least far; where it may, but the agent offers no way to say so, it is refused. */
function chooseOption(options: readonly PermissionOption[], isAllowed: boolean): PermissionOption | undefined {
  const wanted = isAllowed ? [...allowing, ...rejecting] : rejecting;
  return wanted.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined);
}
