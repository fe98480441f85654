import { acceptance, commandDefaults } from "../schema/acceptance.ts";
import type { HttpMethod } from "../schema/http.ts";
import type { Complete } from "../schema/shape.ts";
import { unknownKeys } from "../schema/unknown-keys.ts";
import { parseCommandLine } from "./command-line.ts";
import { type IntegrationStep, isStepProblem, parseStep, type WrittenStep } from "./integration-step.ts";
import { type PerformanceLimit, parsePerformanceLimit } from "./performance-limit.ts";
import type { StatusMatch } from "./status-match.ts";

/** An acceptance line as data. `id` is its position in the acceptance block. */
export type AcceptanceCheck = { readonly id: string } & (
  | TestsCheck
  | HttpEndpointCheck
  | ServiceHealthCheck
  | IntegrationTestCheck
  | CommandCheck
  | PerformanceCheck
  | NamedCheck
);

export interface TestsCheck {
  readonly kind: "tests";
  readonly type: "unit" | "integration" | "e2e";
  readonly file?: string;
  readonly coverageThreshold?: number;
  readonly framework?: string;
}

export interface HttpEndpointCheck {
  readonly kind: "http_endpoint";
  readonly method: HttpMethod;
  readonly path: string;
  readonly status: StatusMatch;
  readonly timeoutSeconds: number;
  readonly isAuthRequired: boolean;
  readonly keepsEvidence: boolean;
  readonly responseContains: readonly string[];
  /** The JSON Schema that the answer must match. */
  readonly responseSchema?: unknown;
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ServiceHealthCheck {
  readonly kind: "service_health";
  /** Undefined for the project itself. */
  readonly service?: string;
  readonly endpoint: string;
  readonly status: StatusMatch;
}

export interface IntegrationTestCheck {
  readonly kind: "integration_test";
  readonly name: string;
  readonly steps: readonly IntegrationStep[];
  /** Those who are named in the steps. */
  readonly actors?: Readonly<Record<string, Actor>>;
}

/** Somebody who sends requests. */
export interface Actor {
  readonly login?: IntegrationStep;
  /** Where in the answer to the login the token is. */
  readonly token?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface CommandCheck {
  readonly kind: "command";
  /** What the document calls it. */
  readonly name?: string;
  readonly command: string;
  readonly exitCode: number;
  readonly stdoutContains: readonly string[];
  readonly stderrContains: readonly string[];
  readonly stdin?: string;
  readonly timeoutSeconds: number;
}

export interface PerformanceCheck {
  readonly kind: "performance";
  readonly metric: string;
  /** The command that is measured; undefined for the running software. */
  readonly command?: string;
  readonly limit: PerformanceLimit;
}

/** A check that a plugin, an agent or a person must answer for. Without an answer it is not checked. */
export interface NamedCheck {
  readonly kind: "named";
  /** The command that it is about; undefined for the whole result. */
  readonly command?: string;
  readonly name: string;
  readonly value: unknown;
}

type CompleteAcceptance = Complete<typeof acceptance>;

/** A check, and its keys from the acceptance block on. */
interface PlacedCheck {
  readonly place: readonly (string | number)[];
  readonly check: AcceptanceCheck;
}

/** All checks of a completed acceptance block. */
export function acceptanceChecks(block: CompleteAcceptance): readonly AcceptanceCheck[] {
  return placedChecks(block).map(({ check }) => check);
}

type WrittenActors = NonNullable<CompleteAcceptance["actors"]>;

/** The same, each with its position; `shared` are actors that the block may name and does not define. */
export function placedChecks(block: CompleteAcceptance, shared: WrittenActors = {}): readonly PlacedCheck[] {
  const { tests, http_endpoints, service_health, integration_tests, actors, commands, performance, ...rest } = block;
  const { ux_flows, user_flows, ...named } = rest;
  const known = { ...shared, ...actors };
  return [
    ...numbered("tests", tests, testsCheck),
    ...numbered("http_endpoints", http_endpoints, httpEndpointCheck),
    ...numbered("service_health", service_health, serviceHealthCheck),
    ...numbered("integration_tests", integration_tests, (test, index) => integrationTestCheck(test, index, known)),
    ...numbered("commands", commands, commandCheck),
    ...(commands ?? []).flatMap(besidesCommand),
    ...Object.entries({ tests, http_endpoints, service_health, integration_tests, actors, commands }).flatMap(
      besidesLines,
    ),
    ...measurements(performance, ["performance"]),
    ...flows("ux_flows", ux_flows),
    ...flows("user_flows", user_flows),
    ...Object.entries(named).map(([name, value]) => namedCheck([name], value)),
  ];
}

function numbered<T, C extends Omit<AcceptanceCheck, "id">>(
  name: string,
  entries: readonly T[] | undefined,
  toCheck: (entry: T, index: number) => C,
): PlacedCheck[] {
  return (entries ?? []).map((entry, index) => {
    const place = [name, index];
    return { place, check: { id: idOf(place), ...toCheck(entry, index) } as unknown as AcceptanceCheck };
  });
}

/** `commands[0].performance.max_ms` */
function idOf(place: PlacedCheck["place"]): string {
  return place.map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`)).join("");
}

type Entry<K extends keyof CompleteAcceptance> = Extract<CompleteAcceptance[K], readonly unknown[]>[number];

function testsCheck({ type, file, coverage_threshold, framework }: Entry<"tests">): TestsCheck {
  return {
    kind: "tests",
    type,
    ...(file !== undefined && { file }),
    ...(coverage_threshold !== undefined && { coverageThreshold: coverage_threshold }),
    ...(framework !== undefined && { framework }),
  };
}

function httpEndpointCheck(entry: Entry<"http_endpoints">): HttpEndpointCheck {
  return {
    kind: "http_endpoint",
    method: entry.method,
    path: entry.path,
    status: { exactly: entry.status },
    timeoutSeconds: entry.timeout_seconds,
    isAuthRequired: entry.auth_required,
    keepsEvidence: entry.debug,
    responseContains: texts(entry.response_contains),
    ...("response_schema" in entry && { responseSchema: entry.response_schema }),
    ...("body" in entry && { body: entry.body }),
    headers: entry.headers ?? {},
  };
}

function serviceHealthCheck({ service, endpoint, status }: Entry<"service_health">): ServiceHealthCheck {
  return { kind: "service_health", ...(service !== undefined && { service }), endpoint, status: { exactly: status } };
}

function integrationTestCheck(
  { name, steps }: Entry<"integration_tests">,
  index: number,
  known: WrittenActors,
): IntegrationTestCheck {
  const parsed = (steps ?? []).flatMap(stepOf);
  const named = new Set(parsed.flatMap((step) => step.as ?? []));
  const actors = [...named].flatMap((actor) => (Object.hasOwn(known, actor) ? [[actor, actorOf(known[actor]!)]] : []));
  return {
    kind: "integration_test",
    name: name ?? `integration test ${index + 1}`,
    steps: parsed,
    ...(named.size > 0 && { actors: Object.fromEntries(actors) as Record<string, Actor> }),
  };
}

function actorOf(written: WrittenActors[string]): Actor {
  const known = knownActors.get(written);
  if (known !== undefined) return known;
  const { login, token, headers = {} } = written;
  const [step] = login === undefined ? [] : stepOf(login);
  const actor = { ...(step !== undefined && { login: step }), ...(token !== undefined && { token }), headers };
  knownActors.set(written, actor);
  return actor;
}

/** Thousands of tests may name one actor, whose login is a long text: it is parsed once. */
const knownActors = new WeakMap<object, Actor>();

/** Documents with invalid steps are refused earlier. */
function stepOf(written: WrittenStep): readonly IntegrationStep[] {
  const step = parseStep(written);
  return isStepProblem(step) ? [] : [step];
}

function commandCheck(line: Entry<"commands">): CommandCheck {
  if (typeof line === "string") {
    const { command, exitCode } = parseCommandLine(line);
    const timeoutSeconds = commandDefaults.timeout_seconds;
    return { kind: "command", command, exitCode, stdoutContains: [], stderrContains: [], timeoutSeconds };
  }
  return {
    kind: "command",
    ...(line.name !== undefined && line.name !== line.command && { name: line.name }),
    command: line.command,
    exitCode: line.exit_code,
    stdoutContains: texts(line.stdout_contains),
    stderrContains: texts(line.stderr_contains),
    ...(line.stdin !== undefined && { stdin: line.stdin }),
    timeoutSeconds: line.timeout_seconds,
  };
}

/** What a command's entry asks for beyond its end and its texts: lines of their own, as others check them. */
function besidesCommand(line: Entry<"commands">, index: number): readonly PlacedCheck[] {
  if (typeof line === "string") return [];
  const { command, output_format: format, performance } = line;
  const place = ["commands", index];
  return [
    ...(format === undefined ? [] : [namedCheck([...place, "output_format"], format, command)]),
    ...measurements(performance, [...place, "performance"], command),
  ];
}

/** Keys that no line of this kind has: lines of their own, so that nothing is green that nobody looked at. */
function besidesLines([name, entries]: [string, unknown]): readonly PlacedCheck[] {
  const known = acceptance.properties?.[name];
  return unknownKeys(known, entries, [name]).map(({ place, value }) => namedCheck(place, value));
}

/** A section of limits. What is not a limit is a named check, whatever its value is. */
function measurements(section: unknown, place: PlacedCheck["place"], command?: string): readonly PlacedCheck[] {
  if (section === undefined) return [];
  if (typeof section !== "object" || section === null || Array.isArray(section))
    return [namedCheck(place, section, command)];
  return Object.entries(section).map(([metric, written]) => {
    const here = [...place, metric];
    const limit = parsePerformanceLimit(metric, written);
    if (limit === undefined) return namedCheck(here, written, command);
    const check = { id: idOf(here), kind: "performance" as const, metric, limit };
    return { place: here, check: { ...check, ...(command !== undefined && { command }) } };
  });
}

/** A line for each flow, all of the same name: a plugin answers for the key, whatever is written there. */
function flows(name: string, written: unknown): readonly PlacedCheck[] {
  if (written === undefined) return [];
  const isList = Array.isArray(written);
  if (!isList && (typeof written !== "object" || written === null)) return [namedCheck([name], written)];
  return Object.entries(written).map(([key, value]: [string, unknown]) => {
    const place = [name, isList ? Number(key) : key];
    return { place, check: { id: idOf(place), kind: "named", name, value } };
  });
}

function namedCheck(place: PlacedCheck["place"], value: unknown, command?: string): PlacedCheck {
  const name = idOf(place);
  return { place, check: { id: name, kind: "named", name, value, ...(command !== undefined && { command }) } };
}

function texts(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
}
