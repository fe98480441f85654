-- What is live: one deployment an application and environment, with the versions it had.

create table deployments (
  id text primary key,
  application_id text not null references applications (id) on delete cascade,
  -- Empty for the top level of the document.
  environment text not null,
  -- The data folder that its files are in: only the service of that folder can run it.
  host text not null,
  -- Its own, so that its address stays the same. Null before it had one, and for what is not reached over HTTP.
  port integer,
  -- What people want: the version, how many copies of it, and whether it runs at all.
  release_id text,
  replicas integer not null default 1 check (replicas between 1 and 100),
  wanted text not null default 'running' check (wanted in ('running', 'stopped')),
  -- When somebody asked for a restart that has not happened yet.
  restart_asked_at timestamptz,
  -- What was seen last.
  health text not null default 'starting' check (health in ('starting', 'healthy', 'unhealthy', 'stopped')),
  -- Why it is unhealthy.
  reason text,
  -- Grows with each change; the ETag is derived from it.
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index deployments_of_application on deployments (application_id, environment);
create index deployments_of_host on deployments (host);

-- Deployments that somebody removed, until the service of their data folder has removed their files. What stands in no
-- table is left alone: a database that was restored must not cost anybody their data.
create table removed_deployments (
  id text primary key,
  host text not null
);

-- A version of an application in an environment: what a project's deployment made.
create table releases (
  id text primary key,
  deployment_id text not null references deployments (id) on delete cascade,
  project_id text not null references projects (id) on delete cascade,
  -- The attempt that made it: one that is repeated after a crash goes on with what it has begun.
  attempt integer not null,
  -- Counts the versions of the deployment.
  number integer not null,
  -- Names the content: the same for the same commit.
  version text not null,
  -- server, site, package, command, model, bundle or script.
  kind text not null,
  -- How to use it, in one line.
  usage text not null default '',
  -- The programs and how they are kept alive; null for what does not run.
  plan jsonb,
  strategy text not null,
  status text not null default 'preparing' check (status in ('preparing', 'live', 'retired', 'failed')),
  -- Why it failed.
  error text,
  migrated_at timestamptz,
  -- Requests while it was live, as far as they were counted.
  traffic jsonb,
  created_at timestamptz not null default now(),
  live_at timestamptz,
  ended_at timestamptz
);
create unique index releases_of_deployment on releases (deployment_id, number desc);
create index releases_of_project on releases (project_id);
