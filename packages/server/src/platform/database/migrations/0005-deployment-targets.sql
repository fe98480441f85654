-- Where a deployment runs: on its node (process), or at a target that the operator declared (kubernetes, ssh:<name>).
alter table deployments add column target text not null default 'process';
-- Where it is reached, if that is not a port of its node.
alter table deployments add column url text;
-- Its files, and what it has at its target, are removed later.
alter table removed_deployments add column target text not null default 'process';
