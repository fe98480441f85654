import { expect, test } from "vitest";
import { OpenIdClient } from "../../../src/features/oauth/provider/openid-client.ts";

const checks = { redirectUri: "https://slipway.example/back", state: "s", nonce: "n", verifier: "v".repeat(43) };

test("a provider that answers without end is not read without end", async () => {
  let sentBytes = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sentBytes += 1 << 20;
      controller.enqueue(new Uint8Array(1 << 20).fill(0x20));
      if (sentBytes >= 16 << 20) controller.close();
    },
  });
  const dial = async () => new Response(body, { headers: { "content-type": "application/json" } });
  const deps = { dial, label: "The provider", clientId: "id", clientSecret: async () => "secret" };
  const client = new OpenIdClient(deps, { issuer: "https://provider.example" });
  await expect(client.begin(checks, ["openid"])).rejects.toMatchObject({ name: "ProviderRefusal", isFinal: false });
  expect(sentBytes).toBeLessThan(8 << 20);
});
