-- What is written with each step of a run is written with as few indexes and checks as it needs: they were half of its time.

-- What `q` looks through, apart from the row that changes with each step: there, its index was written anew each time.
create table project_names (
  project_id text primary key references projects (id) on delete cascade,
  name text not null,
  document_id text not null
);
insert into project_names (project_id, name, document_id) select id, name, document_id from projects;
drop index if exists projects_by_text;
do $$
declare
  place text;
begin
  select nspname into place from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm';
  if place is not null then
    -- What waits to be sorted in is scanned by each search: with the usual 4 MB of it, a scan of the table seems cheaper.
    execute format(
      'create index project_names_by_text on project_names using gin (name %1$I.gin_trgm_ops, document_id %1$I.gin_trgm_ops) '
      'with (gin_pending_list_limit = 128)',
      place
    );
  end if;
exception when insufficient_privilege then
  raise notice 'without an index for q: %', sqlerrm;
end
$$;
-- Room for the next version of a row beside it: the indexes need not know of it then.
alter table projects set (fillfactor = 60);

-- Ids are unique by chance, and are not looked for. Times come nearly in order, so that one entry for many rows is enough.
drop index events_by_id;
create index events_by_time on events using brin (created_at) with (autosummarize = on);

-- These are written only with their project locked, so that it is there. What asked for it once more, for each row, goes;
-- that they leave with it stays.
alter table events drop constraint events_project_id_fkey;
alter table attempts drop constraint attempts_project_id_fkey;
alter table checkpoints drop constraint checkpoints_project_id_fkey;
create function take_along_what_happened() returns trigger language plpgsql as $$
begin
  delete from events where project_id in (select id from gone);
  delete from attempts where project_id in (select id from gone);
  delete from checkpoints where project_id in (select id from gone);
  return null;
end
$$;
create trigger projects_take_along after delete on projects
  referencing old table as gone for each statement execute function take_along_what_happened();
