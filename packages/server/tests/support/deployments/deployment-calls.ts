import type { Project } from "@slipway/contract";
import { submit, untilEnded } from "../engine/follow.ts";
import { documentOf } from "../engine/stage.ts";
import type { TestApp } from "../test-app.ts";
import { countingServer, deploymentCalls } from "./app-calls.ts";

/** How the endpoints of deployments are called so that they succeed. */
export function deploymentEndpointCalls(app: TestApp) {
  let live: Promise<Project> | undefined;
  const deploy = async (id: string, scripts: object) => untilEnded(app, await submit(app, documentOf({ id, scripts })));
  const twice = async () => {
    await deploy("deployed-twice", { start: countingServer("one") });
    return deploy("deployed-twice", { start: countingServer("two") });
  };
  /** An application that runs, and has two versions. */
  const running = async () => {
    live ??= twice();
    const { application_id, project_id } = await live;
    await deploymentCalls(app, application_id).command("start");
    return { application: application_id, project: project_id };
  };
  const about = async () => ({ param: (await running()).application });
  return {
    readApplication: about,
    listDeployments: about,
    readDeployment: about,
    listReleases: async () => ({ param: (await running()).project }),
    deployProject: async () => ({
      param: (await running()).project,
      payload: { environment: "default" },
    }),
    listPromotions: async () => ({ param: (await running()).project }),
    rollBackDeployment: async () => ({ ...(await about()), payload: { reason: "It was slow." } }),
    stopDeployment: about,
    startDeployment: about,
    restartDeployment: about,
    scaleDeployment: async () => ({ ...(await about()), payload: { replicas: 1 } }),
    deleteDeployment: async () => ({ param: (await deploy("deployed-once", { deploy: "true" })).application_id }),
  };
}
