import { explain } from "../data/client.ts";
import { Prose } from "../parts/prose.tsx";
import { useTitle } from "../parts/use-title.ts";
import { Link, setQuery, useAddress } from "../routing/router.tsx";
import { type Description, type Operation, search } from "./description.ts";
import { OperationView } from "./operation-view.tsx";
import { SchemaView } from "./schema-view.tsx";
import { useDescription } from "./use-description.ts";

/** Every endpoint of the API, from the description that the service gives of itself. */
export function ApiPage() {
  useTitle("API");
  const { searchParams } = useAddress();
  const { data, error } = useDescription();
  const text = searchParams.get("q") ?? "";
  if (data === undefined) return <p class="center">{error === undefined ? "Loading…" : explain(error)}</p>;
  const groups = search(data.groups, text);
  return (
    <div class="page">
      <div class="title">
        <h1>API</h1>
        <span class="faint">version {data.info.version}</span>
        <search class="filters">
          <input
            type="search"
            aria-label="Search endpoints"
            placeholder="Search endpoints"
            value={text}
            onInput={(event) => setQuery({ q: event.currentTarget.value }, { replaces: true })}
          />
        </search>
      </div>
      <Basics schemas={data.schemas} />
      {groups.length === 0 && <p class="faint">No endpoint matches.</p>}
      {groups.map(({ name, operations }) => (
        <Group key={name} name={name} operations={operations} schemas={data.schemas} />
      ))}
    </div>
  );
}

function Basics({ schemas }: Pick<Description, "schemas">) {
  const problem = schemas["Problem"];
  return (
    <section class="panel" aria-label="Basics">
      <p>
        <Prose text="Send `Authorization: Bearer <token>` with every call; `slipway keys create` makes a key. Bodies and answers are JSON unless an endpoint says otherwise." />{" "}
        <a href="/api/v1/openapi.json">The description for programs (OpenAPI 3.1)</a>
      </p>
      {problem !== undefined && (
        <details>
          <summary>What every refusal looks like (problem+json)</summary>
          <SchemaView schema={problem} schemas={schemas} />
        </details>
      )}
    </section>
  );
}

interface GroupProps {
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly schemas: Description["schemas"];
}

function Group({ name, operations, schemas }: GroupProps) {
  const wanted = useAddress().searchParams.get("operation") ?? "";
  return (
    <section class="part" aria-label={name}>
      <h2>{name}</h2>
      <ul class="operations">
        {operations.map((operation) => (
          <Row
            key={operation.operationId}
            operation={operation}
            schemas={schemas}
            isOpen={operation.operationId === wanted}
          />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  readonly operation: Operation;
  readonly schemas: Description["schemas"];
  readonly isOpen: boolean;
}

/** An endpoint in a line; the open one, which has an address of its own, whole. */
function Row({ operation, schemas, isOpen }: RowProps) {
  const { method, path, summary, operationId } = operation;
  return (
    <li>
      <Link
        class="operation-head"
        href={isOpen ? "/docs" : `/docs?operation=${operationId}`}
        aria-expanded={isOpen}
        ref={(link: HTMLAnchorElement | null) => {
          if (isOpen) link?.scrollIntoView({ block: "nearest" });
        }}
      >
        <span class={`method method-${method}`}>{method.toUpperCase()}</span>
        <code>{path}</code>
        <span class="faint">{summary}</span>
      </Link>
      {isOpen && <OperationView operation={operation} schemas={schemas} />}
    </li>
  );
}
