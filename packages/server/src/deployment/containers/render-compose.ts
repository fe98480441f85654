import type { ReleasePlan } from "../supervisor/release-plan.ts";
import { dataInside, filesInside } from "./container-plan.ts";

interface ComposeService {
  readonly program: ReleasePlan["programs"][number];
  /** From the release's folder on. */
  readonly context: string;
  readonly containerfile: string;
}

const firstPort = 8080;

/** A compose file that runs the same containers by hand. It names the secrets, whose values come from the shell. */
export function renderCompose(
  { limits }: Pick<ReleasePlan, "limits">,
  services: readonly ComposeService[],
  secretNames: readonly string[],
): string {
  const addresses = services.map(({ program: { name, addressVariable } }, index) => ({
    name: `${keyOf(name)}${services.some((other, at) => at < index && keyOf(other.program.name) === keyOf(name)) ? `-${index}` : ""}`,
    port: firstPort + index,
    variable: addressVariable,
  }));
  const body = services.map(({ program, context, containerfile }, index) => {
    const { name, port } = addresses[index]!;
    const earlier = addresses.slice(0, index);
    const isEntry = index === services.length - 1;
    const service = {
      build: { context, dockerfile_inline: literal(containerfile) },
      ...(program.container?.startsItself === false && {
        entrypoint: ["/bin/sh", "-c", literal(program.command)],
        working_dir: program.container.workingFolder ?? filesInside,
      }),
      environment: {
        ...Object.fromEntries(Object.entries(program.env).map(([key, value]) => [key, literal(value)])),
        ...Object.fromEntries(secretNames.map((key) => [key, `\${${key}:?}`])),
        ...Object.fromEntries(
          earlier.flatMap(({ name: other, port: at, variable }) =>
            variable === undefined ? [] : [[variable, `http://${other}:${at}`]],
          ),
        ),
        ...{ PORT: String(port), HOST: "0.0.0.0", SLIPWAY_DATA_DIR: dataInside },
      },
      ...(isEntry && { ports: [`127.0.0.1:${port}:${port}`] }),
      ...(index > 0 && { depends_on: earlier.map((one) => one.name) }),
      volumes: [`data:${dataInside}`],
      ...{ read_only: true, tmpfs: ["/tmp"], cap_drop: ["ALL"], security_opt: ["no-new-privileges"] },
      ...{ mem_limit: limits.memoryBytes, cpus: limits.cpuCores, restart: "unless-stopped" },
    };
    return [name, service] as const;
  });
  return yamlOf({ services: Object.fromEntries(body), volumes: { data: {} } });
}

/** A name that compose accepts. */
function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, "-");
}

/** Compose replaces `$NAME` in every text, which is for shells here. */
function literal(text: string): string {
  return text.replaceAll("$", "$$$$");
}

/** Maps as blocks; all else as JSON, which is YAML too and leaves nothing to guess. */
function yamlOf(map: Readonly<Record<string, unknown>>, indent = ""): string {
  return Object.entries(map)
    .map(([key, value]) => {
      const name = /^[A-Za-z_][\w-]*$/.test(key) ? key : JSON.stringify(key);
      const isBlock =
        typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
      return isBlock
        ? `${indent}${name}:\n${yamlOf(value as Record<string, unknown>, `${indent}  `)}`
        : `${indent}${name}: ${JSON.stringify(value)}\n`;
    })
    .join("");
}
