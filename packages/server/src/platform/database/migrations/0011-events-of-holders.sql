-- Each holder of a lease counts its events from 1, also while some of an earlier holder wait to be read.

alter table worker_events add column fence integer not null default 0;
alter table worker_events drop constraint worker_events_pkey, add primary key (lease_id, fence, sequence);
