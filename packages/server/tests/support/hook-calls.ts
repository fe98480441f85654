import { createHmac } from "node:crypto";
import { submit } from "./engine/follow.ts";
import { type TestApp, unbuildableDocument } from "./test-app.ts";

interface HookSecret {
  readonly application_id: string;
  readonly path: string;
  readonly secret: string;
}

/** Makes the secret of an application's hook. */
export async function makeHookSecret({ call }: Pick<TestApp, "call">, applicationId: string): Promise<HookSecret> {
  const answer = await call({ method: "POST", url: `/api/v1/applications/${applicationId}/hook-secret` });
  return answer.json<HookSecret>();
}

/** A delivery as GitHub sends it. */
export function fromGitHub(secret: string, payload: object, { event = "push", delivery = "delivery-1" } = {}) {
  const body = JSON.stringify(payload);
  const headers = {
    ...{ "content-type": "application/json", "x-github-event": event, "x-github-delivery": delivery },
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
  return { method: "POST" as const, headers, payload: body };
}

/** How the endpoints of git hooks are called so that they succeed. */
export function hookCalls(app: TestApp) {
  const application = async () => {
    const id = await submit(app, unbuildableDocument("hooked"));
    return (await app.call({ url: `/api/v1/projects/${id}` })).json<{ application_id: string }>().application_id;
  };
  return {
    createHookSecret: async () => ({ param: await application() }),
    receiveGitHook: async () => {
      const param = await application();
      const { secret } = await makeHookSecret(app, param);
      const { headers, payload } = fromGitHub(secret, { zen: "Keep it simple." }, { event: "ping" });
      return { param, headers, payload };
    },
  };
}
