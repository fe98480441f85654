import { useState } from "preact/hooks";
import { Prose } from "../parts/prose.tsx";
import type { Schema } from "./description.ts";
import { fieldsOf, limitWords, typeWords } from "./schema-words.ts";

interface Props {
  readonly schema: Schema;
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** What a body is: its type, and its fields. */
export function SchemaView({ schema, schemas }: Props) {
  const parts = fieldsOf(schema, schemas);
  return (
    <>
      <p class="faint">{typeWords(schema)}</p>
      {parts.map((part, index) => (
        <Fields key={index} schema={part} schemas={schemas} />
      ))}
    </>
  );
}

function Fields({ schema: { properties = {}, required = [] }, schemas }: Props) {
  return (
    <ul class="fields">
      {Object.entries(properties).map(([name, field]) => (
        <li key={name}>
          <p>
            <code>{name}</code> <span class="faint">{typeWords(field)}</span>
            {required.includes(name) && <span class="required"> required</span>}
          </p>
          <Words schema={field} />
          <Below schema={field} schemas={schemas} name={name} />
        </li>
      ))}
    </ul>
  );
}

/** What a value means, and its limits. */
export function Words({
  schema,
  description = schema.description,
}: {
  schema: Schema;
  description?: string | undefined;
}) {
  const limits = limitWords(schema);
  return (
    <>
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      {limits !== "" && <p class="faint">{limits}</p>}
    </>
  );
}

/** The fields of a field are drawn when somebody asks for them: a project has hundreds. */
function Below({ schema, schemas, name }: Props & { readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  const parts = fieldsOf(schema, schemas);
  if (parts.length === 0) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Fields of {name}</summary>
      {isOpen && parts.map((part, index) => <Fields key={index} schema={part} schemas={schemas} />)}
    </details>
  );
}
