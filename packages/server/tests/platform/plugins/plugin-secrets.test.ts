import { expect, test } from "vitest";
import type { OpenPlugin } from "../../../src/platform/plugins/open-plugins.ts";
import { pluginSecrets } from "../../../src/platform/plugins/plugin-secrets.ts";
import { pluginSettings } from "../../support/write-plugin.ts";

test("why a provider failed tells nothing of what the operator gave it, nor does what that was made of", async () => {
  const startProcess = () => Promise.reject(new Error("no harbour takes token-of-the-operator"));
  const found = { nodeFolder: "/", kind: "plain", tools: {}, reasons: [] } as const;
  const settings = { ...pluginSettings({ name: "fleet" }), env: ["HARBOUR_TOKEN"] };
  const place = { name: "fleet", folder: "/", readable: [] };
  const fleet = { name: "fleet", settings, place, secretProviders: ["harbour"] } as unknown as OpenPlugin;
  const provider = pluginSecrets({ sandbox: { startProcess, found } }, [fleet])("harbour")!;
  const failed = await provider.read(["A"], {}, { HARBOUR_TOKEN: "token-of-the-operator" }).catch((error) => error);
  expect(failed.message).toBe("It could not be started: no harbour takes ********.");
  expect(failed.cause).toBeUndefined();
});
