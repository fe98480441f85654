import { TextDocument } from "vscode-languageserver-textdocument";
import { getLanguageService, MarkupContent } from "yaml-language-server";

/** What an editor offers at the cursor, and what it says beside it. */
interface Suggestion {
  readonly label: string;
  readonly explanation: string;
}

/** What an editor underlines; line and column count from 1. */
interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** An editor with the YAML language server and one schema. `¦` in a text is the cursor. */
export interface YamlEditor {
  complete(text: string): Promise<readonly Suggestion[]>;
  hover(text: string): Promise<string>;
  problems(text: string): Promise<readonly Problem[]>;
}

// Only names, as far apart as in the repository: documents may name their schema in their first line.
const schemaUri = "file:///slipway/packages/spec/spec.schema.json";
const documentUri = (number: number) => `file:///slipway/examples/document-${number}.yaml`;

// The server keeps what it parsed by address and version, for all its instances: no address is used twice.
let documentsOpened = 0;

export function yamlEditor(schema: object): YamlEditor {
  // The server tells of its own crashes here only, and answers as if it had found nothing.
  const crashes: Error[] = [];
  const server = getLanguageService({
    schemaRequestService: async (uri) => {
      if (uri === schemaUri) return JSON.stringify(schema);
      throw new Error(`${uri} is not the schema under test`);
    },
    workspaceContext: { resolveRelativePath: (path, base) => new URL(path, base).href },
    telemetry: {
      send() {},
      sendTrack() {},
      sendError: (name, cause) => void crashes.push(new Error(name, { cause })),
    },
    // Without a locale it crashes on a schema that is not valid, instead of saying so.
    yamlSettings: { locale: "en" } as never,
    clientCapabilities: {
      textDocument: { completion: { completionItem: { documentationFormat: ["markdown", "plaintext"] } } },
    },
  });
  server.configure({
    validate: true,
    completion: true,
    hover: true,
    hoverSchemaSource: false,
    format: false,
    yamlVersion: "1.2",
    indentation: "  ",
    // Cloned, because the server rewrites references in place.
    schemas: [{ uri: schemaUri, fileMatch: ["*.yaml"], schema: structuredClone(schema) }],
  });

  async function ask<T>(text: string, question: (document: TextDocument) => PromiseLike<T>): Promise<T> {
    documentsOpened += 1;
    const document = TextDocument.create(documentUri(documentsOpened), "yaml", 1, text);
    const answer = await question(document);
    const [crash] = crashes.splice(0);
    if (crash) throw crash;
    return answer;
  }

  return {
    complete(text) {
      return ask(text.replace("¦", ""), async (document) => {
        const { items } = await server.doComplete(document, document.positionAt(text.indexOf("¦")), false);
        return items.map(({ label, documentation }) => ({ label, explanation: seen(documentation) }));
      });
    },
    hover(text) {
      return ask(text.replace("¦", ""), async (document) => {
        const hover = await server.doHover(document, document.positionAt(text.indexOf("¦")));
        return seen(hover?.contents);
      });
    },
    problems(text) {
      return ask(text, async (document) => {
        const found = await server.doValidation(document, false);
        return found.map(({ range: { start }, message }) => ({
          line: start.line + 1,
          column: start.character + 1,
          message: seen(message),
        }));
      });
    },
  };
}

/** What a person reads when an editor renders this Markdown: like VS Code, without HTML tags that stand outside of code. */
export function rendered(markdown: string): string {
  const markup = /(?<ticks>`+)(?<code>.+?)\k<ticks>|\\(?<escaped>[\\`*_{}[\]#+!])|(?<indent>&emsp;)|<\/?[a-z][^>]*>/gis;
  return markdown.replace(markup, (...match) => {
    const { code, escaped, indent } = match.at(-1) as Record<string, string | undefined>;
    return code ?? escaped ?? (indent ? "  " : "");
  });
}

function seen(contents: unknown): string {
  if (MarkupContent.is(contents)) return contents.kind === "markdown" ? rendered(contents.value) : contents.value;
  return typeof contents === "string" ? contents : "";
}
