import { Table } from "../parts/listing.tsx";
import { Prose } from "../parts/prose.tsx";
import type { Description, Operation } from "./description.ts";
import { SchemaView, Words } from "./schema-view.tsx";
import { typeWords } from "./schema-words.ts";

interface Props {
  readonly operation: Operation;
  readonly schemas: Description["schemas"];
}

/** One endpoint whole: what it takes, what it answers, and how a shell calls it. */
export function OperationView({ operation, schemas }: Props) {
  const { description, parameters = [], requestBody, responses } = operation;
  return (
    <div class="operation">
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      <pre>{curlOf(operation)}</pre>
      {parameters.length > 0 && <Parameters parameters={parameters} />}
      {requestBody !== undefined && (
        <section>
          <h3>Body</h3>
          <Contents description={requestBody.description} content={requestBody.content} schemas={schemas} />
        </section>
      )}
      <section>
        <h3>Answers</h3>
        <ul class="answers">
          {Object.entries(responses).map(([status, { description: about, content }]) => (
            <li key={status}>
              <strong>{status}</strong>
              <div>
                <Contents description={about} content={content} schemas={schemas} />
              </div>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Parameters({ parameters }: { readonly parameters: NonNullable<Operation["parameters"]> }) {
  return (
    <Table label="Parameters" head={["Parameter", "In", "Type", "Meaning"]}>
      {parameters.map(({ name, in: place, required = false, schema = {}, description }) => (
        <tr key={`${place} ${name}`}>
          <td>
            <code>{name}</code>
            {required && <span class="required"> required</span>}
          </td>
          <td>{place}</td>
          <td class="wide faint">{typeWords(schema)}</td>
          <td class="wide">
            <Words schema={schema} description={description ?? schema.description} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

interface ContentsProps {
  readonly description: string | undefined;
  readonly content: NonNullable<Operation["requestBody"]>["content"] | undefined;
  readonly schemas: Description["schemas"];
}

function Contents({ description, content = {}, schemas }: ContentsProps) {
  const types = Object.keys(content);
  const { schema, example } = Object.values(content)[0] ?? {};
  // Every refusal has the same shape: it is described once, at the top of the page.
  const isProblem = schema?.$ref?.endsWith("/Problem") === true;
  return (
    <>
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      {types.length > 0 && !isProblem && <p class="faint">{types.join(", ")}</p>}
      {schema !== undefined && !isProblem && <SchemaView schema={schema} schemas={schemas} />}
      {example !== undefined && <pre>{typeof example === "string" ? example : JSON.stringify(example, null, 2)}</pre>}
    </>
  );
}

/** How a shell calls it. */
function curlOf({ method, path, security, requestBody }: Operation): string {
  const type = Object.keys(requestBody?.content ?? {})[0];
  const isOpen = security !== undefined && security.length === 0;
  return [
    `curl${method === "get" ? "" : ` -X ${method.toUpperCase()}`} "$SLIPWAY_URL${path}"`,
    ...(isOpen ? [] : [`-H "Authorization: Bearer $SLIPWAY_TOKEN"`]),
    ...(type === undefined ? [] : [`-H "Content-Type: ${type}" --data-binary @body`]),
  ].join(" \\\n  ");
}
