-- The engine: the state of each run, its plans, checkpoints and attempts; jobs; agents; approvals.

-- Everything that decides what happens next in a project; null until it has begun.
alter table projects add column state json;
-- Which of its plans it follows.
alter table projects add column plan_version integer;
-- A person is to look at the plan before anything is made.
alter table projects add column review_plan boolean not null default false;
-- Each step changes the row: room on its page keeps that cheap.
alter table projects set (fillfactor = 70);

create table plans (
  project_id text not null references projects (id) on delete cascade,
  version integer not null,
  content json not null,
  created_at timestamptz not null default now(),
  primary key (project_id, version)
);

-- Work that waits or is under way. Times are the database's own, so that nodes need not agree on the time.
create table jobs (
  id bigint generated always as identity primary key,
  queue text not null,
  -- The smaller goes first: 0 critical to 3 low.
  priority smallint not null,
  -- From when it may be taken: when it is due, or when the lease of who has it ends.
  available_at timestamptz not null,
  -- Not to be taken for now, whatever the time.
  is_held boolean not null,
  -- What it belongs to, and its number there.
  group_id text not null,
  number integer not null,
  kind text not null,
  payload json not null,
  -- Grows each time it is taken: who took it earlier can no longer settle it.
  fence integer not null default 0,
  claimed_by text,
  claimed_at timestamptz,
  -- How often a lease ended without a result.
  losses integer not null default 0,
  created_at timestamptz not null default now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index jobs_to_take on jobs (queue, priority, available_at) where not is_held;
create unique index jobs_of_group on jobs (group_id, number);

-- What became of each attempt at a task.
create table attempts (
  project_id text not null references projects (id) on delete cascade,
  task_id text not null,
  number integer not null,
  agent_id text not null,
  queued_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz not null,
  outcome text not null,
  error json,
  primary key (project_id, task_id, number)
);

-- The end of each phase: the workspace's commit and the state beside it.
create table checkpoints (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  phase text not null,
  plan_version integer not null,
  state json not null,
  created_at timestamptz not null default now()
);
create index checkpoints_of_project on checkpoints (project_id, id desc);

create table agents (
  id text primary key,
  kind text not null,
  name text not null unique,
  capabilities text[] not null,
  created_at timestamptz not null default now()
);

-- Where an agent is at hand: the nodes that run it, and how many tasks each of them lets it do at a time.
create table agent_presence (
  agent_id text not null references agents (id) on delete cascade,
  node text not null,
  slots integer not null,
  seen_at timestamptz not null default now(),
  primary key (agent_id, node)
);

create table approvals (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  gate text not null,
  round integer not null,
  phase text not null,
  environment text not null,
  approvers text[] not null,
  created_at timestamptz not null default now(),
  deadline timestamptz not null,
  -- approved, denied, expired or withdrawn; null while it waits.
  decision text,
  decided_at timestamptz,
  decided_by text,
  comment text,
  unique (project_id, gate, round)
);
create index approvals_of_project on approvals (project_id, id desc);
