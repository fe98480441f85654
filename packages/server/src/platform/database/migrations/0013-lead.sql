-- One node at a time reads the log for webhooks, and posts what it reads before it writes that down.
alter table event_cursors add column held_by text, add column held_until timestamptz;
