import { sql } from 'kysely';
import type { Context } from './context.ts';
import { toStored } from './text.ts';

/** How long a writer counts as alive after its last sign of life, by the clock of the database. */
const LEASE_SECONDS = 30;
const BEAT_MS = 5_000;

export interface Lease {
  isAlive(writer: string): Promise<boolean>;
  end(): Promise<void>;
}

/** Says every few seconds that this writer lives, until it ends. */
export async function holdLease({ db, own }: Context, writer: string, beatMs = BEAT_MS): Promise<Lease> {
  const beat = async () => {
    await sql`
      insert into skein_writer (project, writer, beat) values (${own}, ${writer}, now())
      on conflict (project, writer) do update set beat = excluded.beat`.execute(db);
  };
  await beat();
  let under: Promise<void> = Promise.resolve();
  // A beat that fails is made up for by the next one.
  const timer = setInterval(() => {
    under = beat().catch(() => undefined);
  }, beatMs);
  timer.unref();

  return {
    async isAlive(other) {
      const { rows } = await sql`
        select from skein_writer
        where project = ${own} and writer = ${toStored(other)} and beat > now() - make_interval(secs => ${LEASE_SECONDS})
      `.execute(db);
      return rows.length > 0;
    },
    async end() {
      clearInterval(timer);
      await under;
      await sql`delete from skein_writer where project = ${own} and writer = ${writer}`.execute(db);
    },
  };
}
