/** A row for each run that counts the tasks that are still open in its phase: the least that a user of a queue needs. */
export async function counted(pool) {
  await pool.query("create table runs (id text primary key, phase int not null, open int not null) with (fillfactor = 50)");
  const ended = new Map();
  return {
    add(query, ids) {
      for (const id of ids) ended.set(id, Promise.withResolvers());
      return query("insert into runs select id, 0, 3 from unnest($1::text[]) as t (id)", [ids]);
    },
    /** Counts tasks, given by their run, and answers the phases that begin with it. */
    async tasksDone(query, ids) {
      const counts = new Map();
      for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
      // In one order: two that count the same runs must not wait for each other.
      const sorted = [...counts.keys()].sort();
      const { rows } =
        sorted.length === 1
          ? await query(
              `update runs set open = case when open = $2 then 3 else open - $2 end, phase = phase + (open = $2)::int
               where id = $1 returning id, phase, open = 3 as "hasBegun"`,
              [sorted[0], counts.get(sorted[0])],
            )
          : await query(
              `with locked as (
                 select runs.id, done from runs join unnest($1::text[], $2::int[]) as t (id, done) on t.id = runs.id
                 order by runs.id for update of runs
               )
               update runs set open = case when open = done then 3 else open - done end, phase = phase + (open = done)::int
               from locked where runs.id = locked.id returning runs.id, phase, open = 3 as "hasBegun"`,
              [sorted, sorted.map((id) => counts.get(id))],
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
