-- Lists that cost the same however much there is to list.

-- An application knows its runs: counting them took a scan for each line of the list.
alter table applications add column projects integer;
alter table applications add column latest_project_id text;
-- When the latest run was made.
alter table applications add column updated_at timestamptz;
update applications set projects = runs.projects, latest_project_id = runs.latest, updated_at = runs.made_at
from (select application_id, count(*) as projects, max(id) as latest, max(created_at) as made_at from projects group by 1) runs
where runs.application_id = applications.id;
alter table applications
  alter column projects set not null, alter column latest_project_id set not null, alter column updated_at set not null;
create index applications_of_owner on applications (owner_id, id desc);

-- For `q`, which may stand anywhere in a name. Where the extension is missing or not permitted, lists with `q` scan.
do $$
declare
  place text;
begin
  begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'without pg_trgm: %', sqlerrm;
  end;
  -- It may have been there before, in a schema of its own.
  select nspname into place from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm';
  if place is not null then
    -- What waits to be sorted in is scanned by each search: with the usual 4 MB of it, a scan of the table seems cheaper.
    execute format(
      'create index projects_by_text on projects using gin (name %1$I.gin_trgm_ops, document_id %1$I.gin_trgm_ops) '
      'with (gin_pending_list_limit = 128)',
      place
    );
  end if;
exception when insufficient_privilege then
  raise notice 'without an index for q: %', sqlerrm;
end
$$;
