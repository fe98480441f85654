-- What agents, scripts and services of projects have written, masked already; some lines a row.
create table logs (
  id bigint generated always as identity primary key,
  project_id text not null references projects (id) on delete cascade,
  -- agent, build, test, deploy, or a service's name.
  source text not null,
  task_id text not null,
  attempt integer not null,
  agent_id text not null,
  at timestamptz not null default now(),
  lines integer not null,
  text text not null
);
create index logs_of_project on logs (project_id, id);
