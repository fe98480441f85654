-- What happened on a version's way to being live, for whoever goes on with its project where the service was killed then.

alter table releases add column went_live jsonb;
