import type { Deployment, Release } from "@slipway/contract";
import type { TestApp } from "../test-app.ts";

/**
 * A program that answers with a name; at `/count` with how often that was asked, of all versions together; at `/pid` with
 * its process.
 */
export function countingServer(name: string, node = process.execPath): string {
  const answers = `{'/count':()=>{fs.appendFileSync(file,'x');return ''+fs.readFileSync(file).length},'/pid':()=>''+process.pid}`;
  const program = `const fs=require('fs'),file=process.env.SLIPWAY_DATA_DIR+'/count',answers=${answers};require('http').createServer((q,s)=>s.end((answers[q.url]??(()=>'${name}'))())).listen(process.env.PORT,process.env.HOST)`;
  return `${node} -e "${program}"`;
}

/** What is at an address. */
export async function read(url: string, path = ""): Promise<string> {
  return fetch(`${url}${path}`, { headers: { connection: "close" } }).then(
    (answer) => answer.text(),
    () => "nothing",
  );
}

export type DeploymentWithReleases = Deployment & { readonly releases: readonly Release[] };

/** Calls about one deployment of an application. */
export function deploymentCalls({ call }: Pick<TestApp, "call">, applicationId: string, environment = "default") {
  const path = `/api/v1/applications/${applicationId}/deployments/${environment}`;
  return {
    path,
    /** Gives a command, such as `stop`; gives the answer. */
    command: (name: string, payload?: object, headers: Record<string, string> = {}) =>
      call({ method: "POST", url: `${path}/${name}`, headers, ...(payload && { payload }) }),
    read: async () => (await call({ url: path })).json<DeploymentWithReleases>(),
    remove: () => call({ method: "DELETE", url: path }),
  };
}
