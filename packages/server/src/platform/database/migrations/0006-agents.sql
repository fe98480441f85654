-- Agents that are registered, what they were given and used, workers on other machines, and what agents ask people.

-- Who registered it; null: it is in the config file of a node.
alter table agents add column registered_by text references users (id);
-- Where it is reached, if it is reached over the network.
alter table agents add column url text;
-- How many tasks a registered agent does at a time; declared ones say so node by node.
alter table agents add column slots integer;
-- It finishes what it is at and takes nothing new.
alter table agents add column is_draining boolean not null default false;
-- Which node carries out the tasks of a registered agent, and until when it is believed to.
alter table agents add column served_by text;
alter table agents add column served_until timestamptz;

-- Why the agent cannot be used from this node; null: it can.
alter table agent_presence add column problem text;
alter table agent_presence add column version text;

-- What an agent was given for an attempt, and what it used. Written before it is told what to do.
create table agent_runs (
  project_id text not null references projects (id) on delete cascade,
  task_id text not null,
  number integer not null,
  agent_id text not null,
  node text not null,
  -- The folder it works in, on that node.
  attempt_id text not null,
  base_commit text not null,
  prompt text not null,
  limits json not null,
  -- By what it is resumed after a crash.
  handle text,
  last_status text,
  -- Null is unknown, never nothing.
  input_tokens bigint,
  output_tokens bigint,
  cost_usd double precision,
  started_at timestamptz not null default now(),
  -- Null while it is at it.
  ended_at timestamptz,
  outcome text,
  primary key (project_id, task_id, number)
);
create index agent_runs_of_agent on agent_runs (agent_id, started_at desc);
create index attempts_of_agent on attempts (agent_id, ended_at desc);

-- A task that is offered to, or held by, a worker on another machine.
create table worker_leases (
  id text primary key,
  agent_id text not null references agents (id) on delete cascade,
  project_id text not null references projects (id) on delete cascade,
  task_id text not null,
  -- What the worker is told.
  work json not null,
  -- Grows each time the lease changes hands: an earlier holder can no longer write.
  fence integer not null default 0,
  state text not null default 'offered' check (state in ('offered', 'taken', 'completed', 'ended')),
  -- The worker is to stop.
  is_cancelled boolean not null default false,
  -- What it said in the end.
  report json,
  created_at timestamptz not null default now(),
  taken_at timestamptz,
  heard_at timestamptz,
  -- Which process acts on what the worker says: one that lost the attempt no longer may.
  followed_by text,
  -- The highest number of an event that came: what comes twice counts once.
  last_sequence bigint not null default 0
);
create index worker_leases_to_take on worker_leases (agent_id, created_at) where state = 'offered';

-- What a worker let know, until whoever follows it has read it.
create table worker_events (
  lease_id text not null references worker_leases (id) on delete cascade,
  sequence bigint not null,
  event json not null,
  primary key (lease_id, sequence)
);

-- Also agents ask: whether they may do something. Then gate is 'permission'.
alter table approvals add column task_id text;
alter table approvals add column agent_id text;
alter table approvals add column question text;
