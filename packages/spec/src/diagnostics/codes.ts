export type Severity = "error" | "warning" | "info";

interface CodeInfo {
  readonly severity: Severity;
  /**
   * `syntax`: the text is no readable YAML document. `document`: it is, but not one we can work with. `plan`: the same of
   * a task breakdown.
   */
  readonly about: "syntax" | "document" | "plan";
  readonly summary: string;
}

/** Every code a diagnostic can carry. The list is closed: tools may rely on it. */
export const diagnosticCodes = {
  too_large: { severity: "error", about: "syntax", summary: "The document is larger than 1 MiB." },
  invalid_encoding: { severity: "error", about: "syntax", summary: "The bytes are not valid UTF-8." },
  control_character: { severity: "error", about: "syntax", summary: "A character that YAML does not allow." },
  byte_order_mark: {
    severity: "info",
    about: "syntax",
    summary: "The text starts with a byte order mark; it is ignored.",
  },
  crlf_line_endings: { severity: "info", about: "syntax", summary: "Lines end in CR LF; they are read as LF." },
  yaml_syntax: { severity: "error", about: "syntax", summary: "The text is not valid YAML." },
  unknown_tag: { severity: "error", about: "syntax", summary: "A YAML tag that has no meaning here." },
  empty_document: { severity: "error", about: "document", summary: "There is nothing in the document." },
  multiple_documents: { severity: "error", about: "document", summary: "The file holds more than one document." },
  not_a_map: { severity: "error", about: "document", summary: "The document is not a map of fields." },
  too_deep: { severity: "error", about: "document", summary: "Maps and lists are nested too deeply." },
  too_many_aliases: { severity: "error", about: "document", summary: "YAML aliases repeat too much." },
  unknown_alias: { severity: "error", about: "document", summary: "A YAML alias without its anchor." },
  alias_cycle: { severity: "error", about: "document", summary: "A YAML alias that contains itself." },
  too_many_entries: {
    severity: "error",
    about: "document",
    summary: "The document, or a map or list in it, has too many entries.",
  },
  scalar_too_long: { severity: "error", about: "document", summary: "A single text is too long." },
  duplicate_key: { severity: "error", about: "document", summary: "A map has the same key twice." },
  forbidden_key: { severity: "error", about: "document", summary: "A key that is not safe to use." },
  bad_merge: { severity: "error", about: "document", summary: "A merge key (<<) whose value is no map." },
  missing_fields: { severity: "error", about: "document", summary: "Required fields are missing." },
  wrong_type: { severity: "error", about: "document", summary: "A value of the wrong type." },
  not_allowed: { severity: "error", about: "document", summary: "A value that is not on the list." },
  out_of_range: { severity: "error", about: "document", summary: "A number outside its range." },
  bad_format: { severity: "error", about: "document", summary: "A text that does not have the form it needs." },
  conflicting_keys: {
    severity: "error",
    about: "document",
    summary: "Two spellings of one key with different values.",
  },
  misspelled_key: { severity: "warning", about: "document", summary: "An unknown key that looks like a known one." },
  unsupported_version: { severity: "error", about: "document", summary: "A document version that is not supported." },
  newer_version: {
    severity: "warning",
    about: "document",
    summary: "A newer document version than this service knows.",
  },
  unknown_outcome_type: { severity: "error", about: "document", summary: "An outcome type that nothing defines." },
  unchecked_outcome_type: {
    severity: "info",
    about: "document",
    summary: "An outcome type that a plugin may define; which do is only known to the service.",
  },
  unknown_plugin: { severity: "error", about: "document", summary: "A plugin that the operator did not allow." },
  plugin_failed: { severity: "error", about: "document", summary: "A plugin that is allowed, but cannot be used." },
  unknown_reference: { severity: "error", about: "document", summary: "A name that is not defined in the document." },
  unsure_reference: { severity: "warning", about: "document", summary: "A name that probably means another one." },
  duplicate_name: { severity: "error", about: "document", summary: "A name that must be unique is used twice." },
  repeated_entry: { severity: "warning", about: "document", summary: "An entry that a list already has." },
  reserved_name: { severity: "error", about: "document", summary: "A name that is taken by a built-in." },
  dependency_cycle: { severity: "error", about: "document", summary: "Things that wait for each other in a circle." },
  late_dependency: {
    severity: "error",
    about: "document",
    summary: "A task waits for one of a phase that is not complete before its own.",
  },
  too_many_tasks: { severity: "error", about: "document", summary: "A plan would have too many tasks." },
  port_conflict: { severity: "error", about: "document", summary: "Two services on the same host port." },
  event_not_published: {
    severity: "warning",
    about: "document",
    summary: "An event that is consumed and never published.",
  },
  event_not_consumed: {
    severity: "info",
    about: "document",
    summary: "An event that is published and never consumed.",
  },
  bad_step: { severity: "error", about: "document", summary: "A step of an integration test that cannot be read." },
  empty_check: { severity: "warning", about: "document", summary: "A check that checks nothing." },
  doubtful_check: {
    severity: "warning",
    about: "document",
    summary: "A check that cannot be read as it was probably meant.",
  },
  ignored_key: { severity: "warning", about: "document", summary: "A key that has no effect where it stands." },
  gates_everything: {
    severity: "info",
    about: "document",
    summary: "An approval that names no environment, and so holds for every deployment.",
  },
  unknown_template: { severity: "warning", about: "document", summary: "A template name that does not exist." },
  secret_in_text: { severity: "error", about: "document", summary: "A secret in a text that people read." },
  secret_not_listed: {
    severity: "warning",
    about: "document",
    summary: "A secret that secrets.required does not list.",
  },
  missing_task: { severity: "error", about: "plan", summary: "A plan without a task that its document names." },
  empty_phase: { severity: "error", about: "plan", summary: "A plan without a task for a phase." },
  acceptance_not_served: {
    severity: "warning",
    about: "plan",
    summary: "A line of acceptance that no task of the plan serves.",
  },
  unknown_environment: { severity: "error", about: "document", summary: "The environment asked for does not exist." },
  more_problems: { severity: "info", about: "document", summary: "There are more problems than are shown." },
} as const satisfies Record<string, CodeInfo>;

export type DiagnosticCode = keyof typeof diagnosticCodes;
