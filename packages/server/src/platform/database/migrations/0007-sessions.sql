-- Codes that sign a browser in, once; and the sessions of browsers, which end when somebody signs out.
alter table tokens drop constraint tokens_kind_check;
alter table tokens add constraint tokens_kind_check check (kind in ('access', 'refresh', 'code', 'session'));
