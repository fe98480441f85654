-- Promotion to further environments and rollback scripts.

-- The files as they were built, for promotion to other environments: {digest, current, published}. Null: not kept.
alter table releases add column artifact jsonb;

-- The version that was left by a rollback, as long as its scripts.rollback has not run.
alter table deployments add column rolled_back_from text;

-- The data folder of the node: deployments live in one.
alter table nodes add column host text;
