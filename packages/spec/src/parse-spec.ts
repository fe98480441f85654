import type { TemplateText } from "./check/check-context.ts";
import { compileSchema } from "./check/compile-schema.ts";
import { type Diagnostic, Findings, pathOf } from "./diagnostics/diagnostic.ts";
import { vocabularyOf } from "./outcome-types/index.ts";
import { findPluginType, type KnownPlugin, namedPlugins, shapeWith } from "./plugins.ts";
import { rules } from "./rules/index.ts";
import { suggestKnown } from "./rules/references.ts";
import { type DraftDocument, RuleContext } from "./rules/rule.ts";
import type { SpecDocument } from "./schema/document.ts";
import { decodeText } from "./yaml/decode-text.ts";
import { type Node, spanAt, startOf } from "./yaml/node.ts";
import { readYaml } from "./yaml/read-yaml.ts";

export interface ParseOptions {
  /** Outcome types that plugins define, in addition to the built-in ones. */
  readonly outcomeTypes?: readonly string[];
  /** The plugins that documents may name; if absent, names of plugins are not checked. */
  readonly plugins?: readonly KnownPlugin[];
  /** The environment that the document is for; it must exist. */
  readonly environment?: string | undefined;
}

export interface ParsedSpec {
  /** The document; undefined if there is an error. */
  readonly document?: SpecDocument;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a specification document. Reports every problem with its position; never throws. */
export function parseSpec(source: string | Uint8Array, options: ParseOptions = {}): ParsedSpec {
  const findings = new Findings();
  const text = decodeText(source, findings);
  if (text === undefined) return { diagnostics: findings.toDiagnostics("") };
  const { root, brokenFrom } = readYaml(text, findings);
  const document = root === undefined ? undefined : checkRoot(text, root, brokenFrom, options, findings);
  const diagnostics = findings.toDiagnostics(text);
  return document === undefined || findings.hasErrors
    ? { diagnostics }
    : { document: document as SpecDocument, diagnostics };
}

function checkRoot(text: string, root: Node, brokenFrom: number, options: ParseOptions, findings: Findings): unknown {
  if (root.kind !== "map") {
    const isExplained = root.kind === "scalar" && root.isUnreadable === true;
    if (root.start < brokenFrom && !isExplained) reportNoMap(root, findings);
    return undefined;
  }
  const { plugins, outcomeTypes = [] } = options;
  const own = findPluginType(plugins ?? [], root.value)?.type;
  const pluginTypes = [
    ...outcomeTypes,
    ...namedPlugins(plugins ?? [], root.value["plugins"]).flatMap((plugin) =>
      plugin.outcomeTypes.map(({ name }) => name),
    ),
  ];
  const schema = own === undefined ? vocabularyOf(root.value["outcome_type"]) : own.schema;
  const checkDocument = compileSchema(shapeWith(schema));
  const templates: TemplateText[] = [];
  if (brokenFrom < Number.POSITIVE_INFINITY) {
    // Values before the first syntax error are read correctly; missing fields may come after it.
    const early = new Findings();
    checkDocument(root, undefined, { findings: early, templates });
    findings.addAll(early, ({ code, span }) => span.end <= brokenFrom && code !== "missing_fields");
    return undefined;
  }
  const document = checkDocument(root, undefined, { findings, templates }) as DraftDocument;
  const context = new RuleContext(text, root, document, findings, {
    templates,
    pluginTypes,
    knownPlugins: plugins,
    typeKeys: schema,
  });
  for (const rule of rules) rule(context);
  if (options.environment !== undefined) checkEnvironmentExists(options.environment, root, document, findings);
  return document;
}

function reportNoMap(root: Node, findings: Findings): void {
  findings.add({
    code: "not_a_map",
    message: `The document must be a map of fields, not ${root.kind === "list" ? "a list" : "a single value"}.`,
    span: startOf(root),
    suggestion: "Start with 'spec_version: \"1.0.0\"'.",
  });
}

function checkEnvironmentExists(name: string, root: Node, document: DraftDocument, findings: Findings): void {
  const known = Object.keys(document.environments ?? {});
  if (known.includes(name)) return;
  const path = pathOf("environments" in document ? ["environments"] : []);
  const message = `The document has no environment '${name}'.`;
  const suggestion = suggestKnown(name, known, "environment");
  findings.add({ code: "unknown_environment", message, path, span: spanAt(root, path, "key"), suggestion });
}
