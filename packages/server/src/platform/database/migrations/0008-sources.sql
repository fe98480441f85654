-- What the builder made of a document by itself, and what came of it together with a person's changes.
create table generations (
  project_id text not null references projects (id) on delete cascade,
  -- Another plan is another set of files.
  plan_version integer not null,
  -- Each a commit and the bundle that holds it: before and after the merge; null: there was nothing to merge with.
  generated json not null,
  merged json,
  -- Whose files it was merged with, and where the two contradict each other.
  report json,
  -- Up to which of the sources that were put it has their changes in it: a later one is for the next run.
  source_version integer not null,
  primary key (project_id, plan_version)
);

-- The files that a person wants the next run of an application to begin from.
create table application_sources (
  application_id text primary key references applications (id) on delete cascade,
  -- Counts what was put.
  version integer not null,
  source json not null,
  -- What the builder had made of it before the person changed it; null: nothing.
  base json,
  -- The run whose result it was made from; it may be gone since.
  base_project_id text,
  files integer not null,
  size_bytes bigint not null,
  put_by text not null references users (id),
  put_at timestamptz not null
);
