-- What arrived at the first attempt is written in runs: one row for all of a batch that a webhook got. A row of its own, with three
-- indexes and its attempt as jsonb, was most of what a delivery cost. What has not arrived when its batch is written has a row in
-- `deliveries`; and what is sent once more, which with the same id stands for the one in the run.

-- A run takes the number of its first delivery; those after it follow without a gap, 1,024 at most. So ids are unique, and in
-- order, over both tables.
alter table deliveries alter column id set increment by 1024;

create table delivered_runs (
  id bigint primary key default nextval('deliveries_id_seq'),
  webhook_id text not null,
  count integer not null,
  -- One of each for every delivery, in the order of their ids.
  event_ids text[] not null,
  events text[] not null,
  project_ids text[] not null,
  event_sequences bigint[] not null,
  sequences bigint[] not null,
  -- The attempt of each, one a line, as a JSON array: time, duration, time to connect, URL, bytes, hash of the body, answer.
  attempts text not null,
  -- When all of them had arrived.
  created_at timestamptz not null default now()
);
-- Compressing them takes longer than writing them as they are.
alter table delivered_runs
  alter column event_ids set storage external,
  alter column events set storage external,
  alter column project_ids set storage external,
  alter column event_sequences set storage external,
  alter column sequences set storage external,
  alter column attempts set storage external;
create index delivered_runs_of_webhook on delivered_runs (webhook_id, id);

-- Each batch counts on here: room for the next version of a row beside it, so that the index need not know of it.
alter table webhook_sequences set (fillfactor = 50);
