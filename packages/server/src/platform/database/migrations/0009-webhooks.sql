-- Webhooks: whom to tell of events, what is on its way to them, and how that went.

-- The order of the log is that of commits: by transaction, and within one as its projects count. Ids made in the same
-- millisecond sort by chance. The index is small, for every event pays for it; what is left to sort is one transaction's.
drop index events_in_commit_order;
create index events_in_commit_order on events (xid);

-- How far readers of the whole log have come: everything up to this place has been read.
create table event_cursors (
  reader text primary key,
  xid xid8 not null,
  project_id text not null,
  sequence bigint not null
);
insert into event_cursors (reader, xid, project_id, sequence) values ('webhooks', pg_snapshot_xmin(pg_current_snapshot()), '', 0);

create table webhooks (
  id text primary key,
  owner_id text not null references users (id) on delete cascade,
  url text not null,
  events text[] not null,
  -- Only of this project; null: of all that the owner may read.
  project_id text,
  ordering text not null check (ordering in ('none', 'project')),
  description text not null default '',
  -- Both encrypted.
  secret bytea not null,
  old_secret bytea,
  old_secret_until timestamptz,
  status text not null default 'active' check (status in ('active', 'parked', 'disabled')),
  parked_until timestamptz,
  -- How often it was parked in a row.
  parks integer not null default 0,
  disabled_reason text,
  failing_since timestamptz,
  -- What was written before it was there is not for it: all that is visible here.
  born pg_snapshot not null default pg_current_snapshot(),
  -- Its own place in the log, while it does not keep up with the others; null: it does.
  cursor_xid xid8,
  cursor_project_id text,
  cursor_sequence bigint,
  -- Grows when anything is changed that senders remember.
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Who is sent nothing would otherwise miss what is written meanwhile.
  constraint webhooks_keep_their_place check (status = 'active' or cursor_xid is not null)
);
create index webhooks_of_owner on webhooks (owner_id, id desc);

-- The last `webhook-sequence` of each project and webhook. Deliveries are removed after a while; this is not.
create table webhook_sequences (
  webhook_id text not null,
  project_id text not null,
  last bigint not null,
  primary key (webhook_id, project_id)
);

-- Events on their way, and those that arrived. No foreign keys: they would cost a look at the webhook for each row. What a
-- webhook leaves behind is never sent, and removed in time.
create table deliveries (
  id bigint generated always as identity primary key,
  webhook_id text not null,
  event_id text not null,
  event text not null,
  -- Empty: the event is no project's.
  project_id text not null,
  -- Its place in the project's own log; null: it is not in the log.
  event_sequence bigint,
  -- Its `webhook-sequence`; null: it has none.
  sequence bigint,
  -- Of an event that is not in the log.
  data jsonb,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'withheld')),
  reason text,
  -- When it is to be tried, or when whoever is at it has not been heard of; null: never again.
  due_at timestamptz,
  claimed_by text,
  fence integer not null default 0,
  -- All attempts there were, and those that count towards giving up.
  attempt_count integer not null default 0,
  failures integer not null default 0,
  -- The last attempts, each as it was.
  attempts jsonb not null default '[]',
  created_at timestamptz not null default now(),
  delivered_at timestamptz
);
-- In the very order in which they are taken: whoever plans on an empty table would read the whole log of a webhook otherwise.
create index deliveries_due on deliveries (webhook_id, due_at, id) where status = 'pending';
create index deliveries_of_webhook on deliveries (webhook_id, id);
create index deliveries_of_event on deliveries (webhook_id, project_id, event_sequence);
