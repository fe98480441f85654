-- What services of others are told because of events: messages in Slack, tickets in Jira.

insert into event_cursors (reader, xid, project_id, sequence) values ('integrations', pg_snapshot_xmin(pg_current_snapshot()), '', 0);

create table notices (
  id bigint generated always as identity primary key,
  project_id text not null references projects (id) on delete cascade,
  target text not null check (target in ('slack', 'jira')),
  action jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'sent', 'skipped', 'failed')),
  -- When it is to be tried, or when whoever is at it has not been heard of; null: never again.
  due_at timestamptz default now(),
  fence integer not null default 0,
  attempt_count integer not null default 0,
  reason text,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
-- Those of a project and target are told one after the other.
create index notices_pending on notices (project_id, target, id) where status = 'pending';
create index notices_ended on notices (ended_at) where ended_at is not null;

-- What a ticket is for: a task, or nothing for the project.
create table jira_tickets (
  project_id text not null references projects (id) on delete cascade,
  subject text not null,
  issue_key text not null,
  primary key (project_id, subject)
);
