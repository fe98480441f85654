export {
  type AcceptanceCheck,
  type Actor,
  acceptanceChecks,
  type CommandCheck,
  type HttpEndpointCheck,
  type IntegrationTestCheck,
  type NamedCheck,
  type PerformanceCheck,
  type ServiceHealthCheck,
  type TestsCheck,
} from "./acceptance/acceptance-checks.ts";
export { type AcceptanceLine, acceptanceLines } from "./acceptance/acceptance-lines.ts";
export { describeCheck } from "./acceptance/describe-check.ts";
export { type IntegrationStep, isStepProblem, parseStep, type StepProblem } from "./acceptance/integration-step.ts";
export { isScore, knownScores, type PerformanceLimit, parsePerformanceLimit } from "./acceptance/performance-limit.ts";
export { type PromisedLine, promisedLines } from "./acceptance/promised-lines.ts";
export { measuredOfCommand, serviceChecks } from "./acceptance/service-checks.ts";
export { describeStatusMatch, matchesStatus, parseStatusMatch, type StatusMatch } from "./acceptance/status-match.ts";
export { checkedFormats } from "./check/check-json-schema.ts";
export { nearest } from "./check/nearest.ts";
export { type DiagnosticCode, diagnosticCodes, type Severity } from "./diagnostics/codes.ts";
export type { Diagnostic } from "./diagnostics/diagnostic.ts";
export { type Excerpt, Excerpts } from "./diagnostics/excerpt.ts";
export { explainKey, type KeyExplanation, keysOfDocument } from "./explain-key.ts";
export { type FirstDocument, firstDocument, firstLanguages } from "./first-document/index.ts";
export { type EventFlow, eventFlows, phaseGraph, serviceGraph, taskGraph } from "./graph/document-graphs.ts";
export { Graph } from "./graph/graph.ts";
export { limits } from "./limits.ts";
export { findLineNumbers, findWrittenLines, type WrittenLines } from "./line-numbers.ts";
export { type BuiltInType, type TypeKeys, vocabularies, vocabularyOf } from "./outcome-types/index.ts";
export { infrastructurePolicies } from "./outcome-types/infrastructure.ts";
export { type ParsedSpec, type ParseOptions, parseSpec } from "./parse-spec.ts";
export { handOn, type RestLine, writtenPointer } from "./plan/hand-on.ts";
export { type OfferedTask, planWork } from "./plan/plan-work.ts";
export { type ReadBreakdown, readTaskBreakdown } from "./plan/read-task-breakdown.ts";
export { isReview, reviewPath } from "./plan/review-tasks.ts";
export { type PlanSummary, parallelTasksOf, summarisePlan } from "./plan/summarise-plan.ts";
export {
  builtInTaskIds,
  defaultRoles,
  type PlannedPhase,
  type PlannedTask,
  planAsData,
  restRole,
  type WorkPlan,
} from "./plan/work-plan.ts";
export { writeTaskBreakdown } from "./plan/write-task-breakdown.ts";
export {
  checkTypeName,
  checkTypeSchema,
  findPluginType,
  isDocumentKey,
  isKeyOfEach,
  type KnownPlugin,
  type PluginType,
} from "./plugins.ts";
export { type Readiness, readinessOf } from "./readiness.ts";
export {
  type AppliedDefault,
  defaultEnvironment,
  type ResolvedSpec,
  resolveSpec,
  type TargetEnvironment,
} from "./resolve-spec.ts";
export { type CompleteSpec, formatVersion, outcomeTypes, type SpecDocument } from "./schema/document.ts";
export { specJsonSchema } from "./schema/json-schema.ts";
export type { JsonSchema } from "./schema/shape.ts";
export { builtInPhases, type Priority, priorities } from "./schema/work.ts";
export { type SecretProvider, secretProvider } from "./secret-provider.ts";
export { slugOf, taskIdOf } from "./slug.ts";
export {
  fillTemplate,
  isTemplateName,
  secretNamed,
  type TemplateName,
  templateNames,
  templateParts,
} from "./templates.ts";
export { unusedKeys } from "./unused-keys.ts";
export { valueAt } from "./value-at.ts";
export { writeYaml } from "./yaml/write-yaml.ts";
