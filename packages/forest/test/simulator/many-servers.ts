/** Many servers that record into a few shared databases, several for each project. */
import { createClients } from './chat-clients.ts';
import { createChecks } from './check-recordings.ts';
import { createProvider } from './provider.ts';
import { runWorld, type SimulationResult, type World } from './run-world.ts';
import { createFleet, type FleetSize, type Server } from './server-fleet.ts';
import type { SharedDatabase } from './shared-database.ts';
import type { VirtualTime } from './virtual-time.ts';
import { createWriteLog } from './write-log.ts';

/** What recording took. */
interface ManyServersFigures {
  readonly exchanges: number;
  /** Operations of the databases. */
  readonly operations: number;
  /** For each exchange whose database and server were there all the time: the simulated milliseconds until it was placed. */
  readonly placedAfterMs: readonly number[];
}

/** With these, facts are stored every forty exchanges: in a run there are not thousands of them. */
const SMALL_LIMITS = { steps: 40, every: 40, rows: 100 };

/** Runs one seed. Throws when something does not hold that must hold. */
export async function simulateManyServers(
  seed: number,
  steps: number,
  size: FleetSize,
): Promise<SimulationResult & { readonly figures: ManyServersFigures }> {
  let figures: (() => ManyServersFigures) | undefined;
  const result = await runWorld(seed, steps, async (time, trace) => {
    const world = await createWorld(time, trace, size, seed % 2 === 0 ? SMALL_LIMITS : undefined);
    figures = world.figures;
    return world;
  });
  return { ...result, figures: figures!() };
}

async function createWorld(
  time: VirtualTime,
  trace: string[],
  size: FleetSize,
  limits: typeof SMALL_LIMITS | undefined,
): Promise<World & { figures(): ManyServersFigures }> {
  const provider = createProvider(time);
  const log = createWriteLog(time);
  const fleet = createFleet(time, size, { fetch: provider.fetch, log, limits });
  const { databases, projects, servers } = fleet;
  const clients = createClients(time, projects);
  const checks = createChecks(time, fleet, clients, log);
  let faults = 0;
  const pick = <T>(list: readonly T[]): T => list[time.below(list.length)]!;

  const goAway = async (database: SharedDatabase): Promise<void> => {
    // In the middle of what clients ask for.
    await time.sleep(time.below(10_000));
    faults += 1;
    const outage = log.disturb(database.name);
    database.state = pick(['refusing', 'silent'] as const);
    trace[trace.length - 1] += ` ${database.name} ${database.state}`;
    await time.sleep(time.below(3) === 0 ? time.below(1_800_000) : time.below(60_000));
    database.state = 'there';
    outage.end();
  };
  /** One in so many of them dies. */
  const dieSoon = async (those: readonly Server[], oneIn: number): Promise<void> => {
    await time.sleep(time.below(20_000));
    for (const server of those) if (time.below(oneIn) === 0) fleet.kill(server);
  };

  const events: Record<string, () => Promise<unknown>> = {
    'clients ask': () => clients.traffic(6),
    'a database is away': () => Promise.all([clients.traffic(5), goAway(pick(databases))]),
    'servers die while a database is away'() {
      const database = pick(databases);
      const those = servers.filter(({ project }) => project.database === database);
      return Promise.all([clients.traffic(5), goAway(database), dieSoon(those, 4)]);
    },
    'servers die': () => Promise.all([clients.traffic(5), dieSoon(servers, 10)]),
    'servers are restarted, one after the other'() {
      const project = pick(projects);
      return Promise.all([clients.traffic(5), fleet.restart(project)]);
    },
    /** Nobody asks afterwards, so nobody else places what waited. */
    async 'a project ends when its database is back'() {
      const project = pick(projects);
      await Promise.all([clients.traffic(3), goAway(project.database)]);
      await Promise.all(project.servers.map(fleet.close));
      for (const server of project.servers) await fleet.start(server);
    },
    async 'a project moves'() {
      if (databases.length < 2) return;
      faults += 1;
      const project = pick(projects);
      const from = project.database;
      const to = pick(databases.filter((database) => database !== from));
      trace[trace.length - 1] += ` ${project.name} from ${from.name} to ${to.name}`;
      const leave = async () => {
        // Half of the time its database was away, and a server died with what waited.
        if (time.below(2) === 0) await Promise.all([goAway(from), dieSoon(project.servers, 3)]);
        await fleet.move(project, to);
      };
      await Promise.all([clients.traffic(8), leave()]);
    },
    async 'hours pass'() {
      const those = databases.map(({ name }) => log.disturb(name));
      time.suspend(time.below(3 * 3_600_000));
      for (const one of those) one.end();
      await clients.traffic(2);
    },
  };

  for (const server of servers) await time.finish(fleet.start(server));
  return {
    counts: () => ({
      faults: faults + fleet.killed() + provider.faults(),
      assertions: checks.assertions() + provider.extended(),
    }),
    figures: () => ({
      exchanges: log.count(),
      operations: databases.reduce((sum, database) => sum + database.operations(), 0),
      placedAfterMs: log.placedAfterMs,
    }),
    async step() {
      const name = time.random() < 0.3 ? 'clients ask' : pick(Object.keys(events));
      trace.push(name);
      await events[name]!();
      provider.verdict();
      await checks.check();
      trace[trace.length - 1] += ` (${log.count()} exchanges, ${Math.round(time.elapsedMs())} ms)`;
    },
    async end() {
      trace.push('the end');
      for (const server of servers) if (!server.process) await fleet.start(server);
      await clients.traffic(2);
      await checks.check();
      await checks.checkAll({ alone: !limits });
      for (const server of servers) await fleet.close(server);
    },
  };
}
