-- The transaction that wrote a row: who follows a log reads only what no transaction can still come before.
alter table logs add column xid xid8 not null default pg_current_xact_id();
