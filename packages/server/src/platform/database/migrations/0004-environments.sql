-- Promotion to further environments, rollback scripts, and the hooks of git servers.

-- The files as they were built, for promotion to other environments: {digest, current, published}. Null: not kept.
alter table releases add column artifact jsonb;

-- The version that was left by a rollback, as long as its scripts.rollback has not run.
alter table deployments add column rolled_back_from text;

-- The data folder of the node: deployments live in one.
alter table nodes add column host text;

-- What git servers prove themselves with when they tell of a push. Encrypted, together with whose secret it is.
create table hook_secrets (
  application_id text primary key references applications (id) on delete cascade,
  secret bytea not null,
  created_at timestamptz not null default now()
);

-- Deliveries that were taken: a git server may send one again.
create table hook_deliveries (
  application_id text not null references applications (id) on delete cascade,
  delivery_id text not null,
  received_at timestamptz not null default now(),
  primary key (application_id, delivery_id)
);
