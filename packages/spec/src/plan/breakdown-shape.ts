import { limits } from "../limits.ts";
import { type Checked, list, number, object, string } from "../schema/shape.ts";
import { hours } from "../schema/work.ts";

const name = (description: string) => string(description, { minLength: 1 });

const task = object(
  "A task of the plan.",
  {
    id: string("Identifier, unique in the plan.", { minLength: 1, maxLength: limits.nameLength }),
    title: name("What is to be done, in a few words."),
    description: string("What is to be done, in full."),
    phase: name("The phase it belongs to."),
    role: name("The role that does it; if absent the one of the phase."),
    depends_on: list("Tasks that must be done before it.", name("Id of another task.")),
    estimated_hours: number("Estimated hours of work; 1 if absent.", hours),
    serves: list(
      "Lines of the document that it serves; if absent those of acceptance that it has words in common with.",
      name("JSON Pointer to a line of acceptance of the document, or to another of its values."),
    ),
  },
  ["id", "title", "phase"],
);

/** `tasks.yaml`: the tasks of a plan, as planners write them and people edit them. */
export const breakdownShape = object("The tasks of a plan.", { tasks: list("The tasks.", task) }, ["tasks"]);

export type Breakdown = Checked<typeof breakdownShape>;
