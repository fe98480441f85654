import type { PermissionOption, PermissionOptionKind, RequestPermissionResponse } from "@agentclientprotocol/sdk";

/** The agent's permission requests that wait for an answer. */
export class Permissions {
  readonly #open = new Map<string, (isAllowed: boolean | undefined) => void>();
  #asked = 0;
  #isClosed = false;

  /** Waits for the answer without a deadline: the supervisor has one. */
  async ask(options: readonly PermissionOption[], onAsked: (id: string) => void): Promise<RequestPermissionResponse> {
    if (this.#isClosed) return { outcome: { outcome: "cancelled" } };
    this.#asked += 1;
    const id = `permission-${this.#asked}`;
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    this.#open.set(id, resolve);
    onAsked(id);
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

  /** Answers the open requests as cancelled: the protocol demands an answer to each. */
  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#open.values()) resolve(undefined);
    this.#open.clear();
  }
}

const allowing: readonly PermissionOptionKind[] = ["allow_once", "allow_always"];
const rejecting: readonly PermissionOptionKind[] = ["reject_once", "reject_always"];

/** The narrowest option for the answer; if the agent offers no way to allow, the request is rejected. */
function chooseOption(options: readonly PermissionOption[], isAllowed: boolean): PermissionOption | undefined {
  const wanted = isAllowed ? [...allowing, ...rejecting] : rejecting;
  return wanted.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined);
}
