/**
 * What a user keeps beside a queue, in Postgres: a row for each run with its phase and its open tasks, and an event for each
 * task and each phase that has ended. With queues in the same database it is written in their transaction.
 */
export async function counted(pool) {
  await pool.query(`
    create table runs (id text primary key, phase int not null, open int not null) with (fillfactor = 50);
    create table events (
      id bigint generated always as identity primary key, run_id text not null, name text not null, data jsonb not null,
      created_at timestamptz not null default now()
    );
    create index events_of_run on events (run_id, id);`);
  const ended = new Map();
  return {
    add(query, ids) {
      for (const id of ids) ended.set(id, Promise.withResolvers());
      return query("insert into runs select id, 0, 3 from unnest($1::text[]) as t (id)", [ids]);
    },
    /** Writes down that tasks are done, and answers the phases that begin with it. */
    async tasksDone(query, tasks) {
      const counts = new Map();
      for (const { id } of tasks) counts.set(id, (counts.get(id) ?? 0) + 1);
      // In one order: two that count the same runs must not wait for each other.
      const sorted = [...counts.keys()].sort();
      const { rows } = await query(
        `with locked as (
           select runs.id, done from runs join unnest($1::text[], $2::int[]) as t (id, done) on t.id = runs.id
           order by runs.id for update of runs
         ), run as (
           update runs set open = case when open = done then 3 else open - done end, phase = phase + (open = done)::int
           from locked where runs.id = locked.id returning runs.id, phase, open = 3 as "hasBegun"
         ), task_event as (
           insert into events (run_id, name, data) select id, 'task_completed', data
           from json_to_recordset($3) as t (id text, data jsonb)
         ), phase_event as (
           insert into events (run_id, name, data) select id, 'phase_completed', jsonb_build_object('phase', phase - 1)
           from run where "hasBegun"
         )
         select * from run`,
        [
          sorted,
          sorted.map((id) => counts.get(id)),
          JSON.stringify(tasks.map(({ id, phase, task }) => ({ id, data: { phase, task } }))),
        ],
      );
      const begun = rows.filter(({ hasBegun }) => hasBegun);
      for (const { id, phase } of begun) if (phase === 5) ended.get(id).resolve();
      return begun.filter(({ phase }) => phase < 5);
    },
    /** Also that it is committed. */
    async allEnded(ids) {
      await Promise.all(ids.map((id) => ended.get(id).promise));
      for (let left = 1; left > 0; ) {
        const { rows } = await pool.query(
          "select count(*)::int as left from runs where id = any($1::text[]) and phase < 5",
          [ids],
        );
        left = rows[0].left;
      }
      ended.clear();
    },
  };
}
