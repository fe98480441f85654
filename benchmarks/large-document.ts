/** A valid document of about `size` bytes that uses the format as a large team would: many phases with acceptance. */
export function largeDocument(size: number): string {
  let text = `spec_version: "1.0.0"
id: large
name: Large
description: A document of many phases.
outcome_type: api
stack: { language: javascript }
acceptance: {}
phases:
`;
  for (let index = 0; ; index += 1) {
    const next = phase(index);
    if (text.length + next.length > size) return text;
    text += next;
  }
}

function phase(index: number): string {
  return `  phase-${index}:
    priority: ${index % 2 === 0 ? "high" : "medium"}
    description: >-
      The part numbered ${index}, which comes after the one before it
      and is described in a folded text of a few lines: what it is
      for, who asked for it, what has to be there before it begins,
      and how whoever reads the result can see that it is done.
    features: ["search: by name"]
    depends_on: [${index === 0 ? "" : `phase-${index - 1}`}]
    acceptance:
      tests:
        - { file: "tests/part-${index}/**/*.test.js", type: unit, coverage_threshold: 0.8 }
      http_endpoints:
        - path: /api/parts/${index} # answers at once
          method: GET
          status: 200
          timeout_seconds: 5
      integration_tests:
        - name: part ${index} comes and goes
          steps:
            - POST /api/parts/${index} -> 201
            - DELETE /api/parts/${index} => 2xx
`;
}
