const rendered = (edit) => (project) => {
  edit(project);
  project.run("bin/render.js");
};

export default {
  "/services/api/sidecars": rendered(({ add, after, replace }) => {
    add("render/sidecars.js", "test/sidecars.test.js");
    after("render/kubernetes.js", /^import .*kubernetes-pod\.js";\n/m, 'import { sidecarContainers } from "./sidecars.js";\n');
    replace("render/kubernetes.js", "containers: [container],", "containers: [container, ...sidecarContainers(service)],");
    after("description.js", /^ {6}image: "[^"]*\/api:[^"]*",\n/m, '      sidecars: ["otel-collector"],\n');
  }),
  "/service_mesh": rendered(({ add, after, replace }) => {
    add("render/mesh.js", "test/mesh.test.js");
    after("render/kubernetes.js", /^import .*kubernetes-pod\.js";\n/m, 'import { meshLabels, meshManifests } from "./mesh.js";\n');
    replace(
      "render/kubernetes.js",
      'kind: "Namespace", metadata: { name: namespace } },\n',
      'kind: "Namespace", metadata: { name: namespace, ...meshLabels(description) } },\n    ...meshManifests(description, environment),\n',
    );
    after("description.js", /^ {2}name: "[^"]*",\n/m, '  mesh: { mtls: "strict" },\n');
  }),
  "/deployment/monitoring/dashboards": rendered(({ add, after }) => {
    add("render/dashboards.js", "test/dashboards.test.js");
    after("render/all.js", /^import .*compose\.js";\n/m, 'import { dashboard } from "./dashboards.js";\n');
    after(
      "render/all.js",
      /^ {4}files\["monitoring\/alerts\.yaml"\] = .*\n/m,
      [
        "    for (const title of description.monitoring.dashboards ?? []) {",
        "      files[`monitoring/dashboards/${title}.json`] = `${JSON.stringify(dashboard(description, title), undefined, 2)}\\n`;",
        "    }",
        "",
      ].join("\n"),
    );
    after("description.js", /^ {4}metricsPath: .*\n/m, '    dashboards: ["overview"],\n');
  }),
};
