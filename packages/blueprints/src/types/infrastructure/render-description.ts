import type { Description } from "./read-description.ts";

export interface Findings {
  readonly unresolved: readonly string[];
  readonly violations: readonly { readonly policy: string; readonly environment: string; readonly text: string }[];
}

type Files = Readonly<Record<string, string>>;

// The result's own program renders and checks, so the plan shows exactly the files that it would write.
export const { renderAll } = (await templateModule("render/all.js")) as {
  renderAll(description: Description): Files;
};
export const { checkAll } = (await templateModule("check/all.js")) as {
  checkAll(description: Description, files: Files, rendered: Files): Findings;
};
export const { policies } = (await templateModule("check/policies.js")) as {
  policies: Readonly<Record<string, unknown>>;
};

function templateModule(path: string): Promise<unknown> {
  return import(new URL(`./files/${path}`, import.meta.url).href);
}
