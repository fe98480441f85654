-- Entries are sealed in the order in which they are found: each hash covers the entry and the hash before it.
alter table audit add column position bigint unique;
alter table audit add column hash bytea;
create index audit_unsealed on audit (id) where position is null;
