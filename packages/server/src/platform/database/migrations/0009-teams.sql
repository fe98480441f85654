-- Teams, service accounts, and what CI has signed in with.

create table teams (
  id text primary key,
  name text not null unique,
  created_at timestamptz not null
);

create table team_members (
  team_id text not null references teams (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  -- The sign-in provider whose groups put the user here, and take them out again; null: an administrator did.
  provider text,
  added_at timestamptz not null,
  primary key (team_id, user_id)
);
create index team_members_of_user on team_members (user_id);

-- A service account can do what its keys can, and nobody signs in as one.
alter table users add column kind text not null default 'person' check (kind in ('person', 'service'));
-- The team that a service account works for; null: the installation.
alter table users add column team_id text references teams (id);
create index users_of_team on users (team_id) where team_id is not null;

-- The team that an application is shared with. Its projects repeat it: lists and the event log ask for each of them.
alter table applications add column team_id text references teams (id) on delete set null;
create unique index applications_of_team on applications (team_id, md5(document_id)) where team_id is not null;
alter table projects add column team_id text references teams (id) on delete set null;
create index projects_of_team on projects (team_id, id desc) where team_id is not null;

-- A key of a team reaches nothing but the team's, so it must not outlive the team.
alter table api_keys add column team_id text references teams (id) on delete cascade;
create index api_keys_of_team on api_keys (team_id) where team_id is not null;

-- A webhook of a team receives the events of the team's projects.
alter table webhooks add column team_id text references teams (id);
create index webhooks_of_team on webhooks (team_id, id desc) where team_id is not null;

-- ID tokens of CI jobs that were exchanged, so that each works once.
create table used_id_tokens (
  -- SHA-256 of issuer and token id.
  digest bytea primary key,
  expires_at timestamptz not null
);
create index used_id_tokens_by_expiry on used_id_tokens (expires_at);
