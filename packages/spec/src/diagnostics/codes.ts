export type Severity = "error" | "warning" | "info";

interface CodeInfo {
  readonly severity: Severity;
  /**
   * `syntax`: the text cannot be read as a YAML document. `document`: it can, but it is not valid. `plan`: the same for a
   * task breakdown.
   */
  readonly about: "syntax" | "document" | "plan";
  readonly summary: string;
}

/** Every code a diagnostic can carry. The list is closed: tools may rely on it. */
export const diagnosticCodes = {
  too_large: { severity: "error", about: "syntax", summary: "The document is larger than 1 MiB." },
  invalid_encoding: { severity: "error", about: "syntax", summary: "The bytes are not valid UTF-8." },
  control_character: {
    severity: "error",
    about: "syntax",
    summary: "The text contains a character that YAML does not allow.",
  },
  byte_order_mark: {
    severity: "info",
    about: "syntax",
    summary: "The text starts with a byte order mark, which is ignored.",
  },
  crlf_line_endings: { severity: "info", about: "syntax", summary: "Lines end in CR LF, which is read as LF." },
  yaml_syntax: { severity: "error", about: "syntax", summary: "The text is not valid YAML." },
  unknown_tag: { severity: "error", about: "syntax", summary: "A YAML tag is not supported." },
  empty_document: { severity: "error", about: "document", summary: "The document is empty." },
  multiple_documents: { severity: "error", about: "document", summary: "The file contains more than one document." },
  not_a_map: { severity: "error", about: "document", summary: "The document is not a map of fields." },
  too_deep: { severity: "error", about: "document", summary: "Maps and lists are nested too deeply." },
  too_many_aliases: { severity: "error", about: "document", summary: "YAML aliases repeat too much." },
  unknown_alias: { severity: "error", about: "document", summary: "A YAML alias has no anchor." },
  alias_cycle: { severity: "error", about: "document", summary: "A YAML alias is inside its own anchor." },
  too_many_entries: {
    severity: "error",
    about: "document",
    summary: "The document, or a map or list in it, has too many entries.",
  },
  scalar_too_long: { severity: "error", about: "document", summary: "A single string or key is too long." },
  duplicate_key: { severity: "error", about: "document", summary: "A map has the same key twice." },
  forbidden_key: { severity: "error", about: "document", summary: "A key is not safe to use." },
  bad_merge: { severity: "error", about: "document", summary: "The value of a merge key (<<) is not a map." },
  missing_fields: { severity: "error", about: "document", summary: "Required fields are missing." },
  wrong_type: { severity: "error", about: "document", summary: "A value has the wrong type." },
  not_allowed: { severity: "error", about: "document", summary: "A value is not one of the allowed values." },
  out_of_range: { severity: "error", about: "document", summary: "A number is outside its range." },
  bad_format: { severity: "error", about: "document", summary: "A string does not have the required form." },
  conflicting_keys: {
    severity: "error",
    about: "document",
    summary: "Two spellings of one key have different values.",
  },
  misspelled_key: { severity: "warning", about: "document", summary: "An unknown key looks like a known one." },
  unused_key: {
    severity: "warning",
    about: "document",
    summary: "Nobody uses the key: neither its section nor the document's outcome type has it.",
  },
  unsupported_version: { severity: "error", about: "document", summary: "The document version is not supported." },
  newer_version: {
    severity: "warning",
    about: "document",
    summary: "The document version is newer than this service knows.",
  },
  unknown_outcome_type: {
    severity: "error",
    about: "document",
    summary: "No built-in type and no plugin defines the outcome type.",
  },
  unchecked_outcome_type: {
    severity: "info",
    about: "document",
    summary: "A plugin may define the outcome type; only the service can check.",
  },
  unknown_plugin: { severity: "error", about: "document", summary: "The operator has not allowed the plugin." },
  plugin_failed: { severity: "error", about: "document", summary: "The plugin is allowed but cannot be used." },
  unknown_reference: { severity: "error", about: "document", summary: "A name is not defined in the document." },
  unsure_reference: { severity: "warning", about: "document", summary: "A name probably means another one." },
  duplicate_name: { severity: "error", about: "document", summary: "A name that must be unique is used twice." },
  repeated_entry: { severity: "warning", about: "document", summary: "A list contains the same entry twice." },
  reserved_name: { severity: "error", about: "document", summary: "A name belongs to a built-in." },
  dependency_cycle: {
    severity: "error",
    about: "document",
    summary: "Phases, services or tasks depend on each other in a cycle.",
  },
  late_dependency: {
    severity: "error",
    about: "document",
    summary: "A task depends on a task in a phase that is not complete before its own.",
  },
  too_many_tasks: { severity: "error", about: "document", summary: "The plan would have too many tasks." },
  port_conflict: { severity: "error", about: "document", summary: "Two services use the same host port." },
  event_not_published: {
    severity: "warning",
    about: "document",
    summary: "An event is consumed but never published.",
  },
  event_not_consumed: {
    severity: "info",
    about: "document",
    summary: "An event is published but never consumed.",
  },
  bad_step: { severity: "error", about: "document", summary: "A step of an integration test is not valid." },
  bad_schema: {
    severity: "error",
    about: "document",
    summary: "A JSON Schema that an answer must match is not valid.",
  },
  empty_check: { severity: "warning", about: "document", summary: "A check checks nothing." },
  doubtful_check: {
    severity: "warning",
    about: "document",
    summary: "A check is probably not written as it was meant.",
  },
  ignored_key: { severity: "warning", about: "document", summary: "A key has no effect here." },
  gates_everything: {
    severity: "info",
    about: "document",
    summary: "An approval names no known environment, so it applies to every deployment.",
  },
  unknown_template: { severity: "warning", about: "document", summary: "A template name does not exist." },
  secret_in_text: { severity: "error", about: "document", summary: "A secret would appear in text that people read." },
  secret_not_listed: {
    severity: "warning",
    about: "document",
    summary: "A secret is not listed in secrets.required.",
  },
  missing_task: { severity: "error", about: "plan", summary: "The plan lacks a task that its document names." },
  empty_phase: { severity: "error", about: "plan", summary: "A phase has no task in the plan." },
  acceptance_not_served: {
    severity: "warning",
    about: "plan",
    summary: "No task of the plan serves an acceptance line.",
  },
  unknown_environment: { severity: "error", about: "document", summary: "The requested environment does not exist." },
  more_problems: { severity: "info", about: "document", summary: "There are more problems than are shown." },
} as const satisfies Record<string, CodeInfo>;

export type DiagnosticCode = keyof typeof diagnosticCodes;
