import type { Project } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { applyChange, type Filter } from "../src/projects/project-list.ts";

const all: Filter = { q: "", status: "" };
const project = (id: number, status = "planning") =>
  ({ project_id: `proj_${id}`, name: `Shop ${id}`, document_id: "shop", status }) as Project;
const idsOf = (projects: readonly Project[]) => projects.map(({ project_id }) => Number(project_id.slice(5)));
const told = (one: Project) => ({ kind: "project", project: one }) as const;

describe("the list of projects", () => {
  test("has what is new by its age, though the newest is told of first", () => {
    const first = applyChange({ projects: [project(1)], next: null }, told(project(3)), all);
    expect(idsOf(first)).toEqual([3, 1]);
    expect(idsOf(applyChange({ projects: first, next: null }, told(project(2)), all))).toEqual([3, 2, 1]);
  });

  test("leaves what belongs on a page that was not read yet", () => {
    const projects = [project(5), project(4)];
    expect(idsOf(applyChange({ projects, next: "more" }, told(project(3)), all))).toEqual([5, 4]);
    expect(idsOf(applyChange({ projects, next: null }, told(project(3)), all))).toEqual([5, 4, 3]);
  });

  test("shows a change in place, and lets go of what is gone or no longer wanted", () => {
    const listed = { projects: [project(5), project(4)], next: null };
    expect(applyChange(listed, told(project(4, "failed")), all)[1]!.status).toBe("failed");
    expect(idsOf(applyChange(listed, { kind: "gone", projectId: "proj_5" }, all))).toEqual([4]);
    const planning: Filter = { q: "", status: "planning" };
    expect(idsOf(applyChange(listed, told(project(4, "failed")), planning))).toEqual([5]);
  });
});
