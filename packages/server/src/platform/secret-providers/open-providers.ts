import manifest from "../../../package.json" with { type: "json" };
import { ProviderFailure, type SecretProvider } from "../secrets/index.ts";
import type { Dial } from "./ask-json.ts";
import { type CloudDeps, type CloudProvider, readFromCloud } from "./cloud-provider.ts";
import { execProvider } from "./exec-provider.ts";
import { fileProvider, mountedProvider } from "./file-provider.ts";
import { unusedFields } from "./narrowed-path.ts";
import type { AwsSettings, AzureSettings, GcpSettings, KindSettings, ProviderSettings } from "./provider-settings.ts";
import { VaultProvider } from "./vault-provider.ts";

interface ProviderDeps {
  /** Calls addresses of the operator. */
  readonly dial: Dial;
  readonly environment: NodeJS.ProcessEnv;
  /** How long a call may take; left out: ten seconds. */
  readonly timeoutMs?: number;
}

/** The declared providers by name. What a provider needs is loaded at its first use. */
export function openProviders(
  deps: ProviderDeps,
  declared: readonly ProviderSettings[],
): ReadonlyMap<string, SecretProvider> {
  return new Map(
    declared.map((settings) => {
      const { name, names, owners } = settings;
      const listedIn = `'names' of the provider '${name}' in secret_providers`;
      return [name, { names, owners, listedIn, ...readerOf(deps, settings) }];
    }),
  );
}

type Reader = Pick<SecretProvider, "howToSet" | "unused" | "read">;

function readerOf(deps: ProviderDeps, settings: KindSettings): Reader {
  const { dial, environment, timeoutMs = 10_000 } = deps;
  switch (settings.kind) {
    case "file":
      return fileProvider(settings);
    case "kubernetes":
      return mountedProvider(settings);
    case "exec":
      return execProvider(settings, environment);
    case "vault":
      return new VaultProvider(settings, { dial, environment, timeoutMs });
    case "aws-secrets-manager":
    case "gcp-secret-manager":
    case "azure-key-vault": {
      const variable = (name: string) => variableOf(environment, name);
      return cloudReader(settings, { dial, timeoutMs, variable });
    }
  }
}

const { peerDependencies: peers } = manifest;

type CloudSettings = AwsSettings | GcpSettings | AzureSettings;

function cloudReader(settings: CloudSettings, deps: CloudDeps): Reader {
  let opening: Promise<CloudProvider> | undefined;
  return {
    howToSet: (names) => `Store ${names.join(", ")} in ${settings.kind} where the service may read them.`,
    unused: (request) => unusedFields({ path: true, region: settings.kind === "aws-secrets-manager" }, request),
    read: async (request) => {
      opening ??= openCloud(settings, deps).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return readFromCloud(await opening, settings, request);
    },
  };
}

/** Azure's and Google's libraries are large and few need them: the operator installs them. */
async function openCloud(settings: CloudSettings, deps: CloudDeps): Promise<CloudProvider> {
  switch (settings.kind) {
    case "aws-secrets-manager":
      return new (await import("./aws-provider.ts")).AwsProvider(settings, deps);
    case "gcp-secret-manager": {
      const load = () => import("./gcp-provider.ts");
      return new (await installed(load, "google-auth-library")).GcpProvider(settings, deps);
    }
    case "azure-key-vault": {
      const load = () => import("./azure-provider.ts");
      return new (await installed(load, "@azure/identity", "@azure/keyvault-secrets")).AzureProvider(settings, deps);
    }
  }
}

async function installed<T>(load: () => Promise<T>, ...packages: readonly string[]): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const versions = packages.map((name) => `${name}@${peers[name as keyof typeof peers]}`).join(" ");
    throw new ProviderFailure(`its library is not installed. Install it: npm install ${versions}`, { cause: error });
  }
}

function variableOf(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (value === undefined || value === "") throw new ProviderFailure(`the variable ${name} is not set.`);
  return value;
}
