import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Config, describeProblem, type Flags, loadConfig, type StoreChoice } from '@skein/agents';
import { type Forest, openForest, openTraffic, type StoreProblem, type TrafficSource } from '@skein/forest';
import type { Redactor } from '@skein/server';
import { CommandError, toPrintable, UsageError, warn } from '../output/output.ts';
import { resolveAlias } from './user-files.ts';

/** What the commands use. */
export interface CommandContext {
  readonly config: Config;
  readonly forest: Forest;
  /** Hides the texts that `redaction` in the configuration names. */
  readonly redact: Redactor;
}

/** Opens the configured forest, runs `use`, and closes the forest in any case. */
export async function withForest<T>(flags: Flags, use: (context: CommandContext) => Promise<T>): Promise<T> {
  const config = await readConfig(flags);
  const redact = await redactFor(config);
  const forest = await openForest(storeAddress(config.store, process.env), { project: config.project });
  try {
    const done = await use({ config, forest, redact });
    warnOfDamage(forest.store.problems());
    return done;
  } finally {
    await forest.close();
  }
}

/** What commands use that read all recorded requests. */
export interface TrafficContext {
  readonly traffic: TrafficSource;
  readonly redact: Redactor;
}

/** Opens the recorded requests of the configured forest without its index, runs `use`, and closes them in any case. */
export async function withTraffic<T>(flags: Flags, use: (context: TrafficContext) => Promise<T>): Promise<T> {
  const config = await readConfig(flags);
  const redact = await redactFor(config);
  const traffic = await openTraffic(storeAddress(config.store, process.env), { project: config.project });
  try {
    const done = await use({ traffic, redact });
    warnOfDamage(traffic.problems());
    return done;
  } finally {
    await traffic.close();
  }
}

/** Warns of damage in the forest. The command then fails, so that scripts notice. */
function warnOfDamage(problems: readonly StoreProblem[]): void {
  const damage = problems.filter(({ code }) => DAMAGE.has(code));
  const [first] = damage;
  if (!first) return;
  const more = damage.length > 1 ? `, and at ${damage.length - 1} more places` : '';
  warn(toPrintable(`The forest is damaged at ${first.where}${more}: ${first.message} "skein fsck" says all.`));
  process.exitCode = 1;
}

const DAMAGE: ReadonlySet<string> = new Set(['damaged-record', 'wrong-hash', 'unreadable-file']);

/** Reads the configuration. A wrong flag ends the command, because it could select another forest. */
export async function readConfig({ store, project, model, preset, agents, port, host }: Flags): Promise<Config> {
  const { config, problems } = await loadConfig({
    flags: { store, project, model: model && resolveAlias(model), preset, agents, port, host },
  });
  for (const problem of problems) {
    if (problem.file.startsWith('flag ')) throw new UsageError(describeProblem(problem));
    warn(describeProblem(problem));
  }
  return config;
}

/** Whether the configuration hides any text. */
export function hasRedaction({ redaction }: Config): boolean {
  return redaction.patterns.length > 0 || redaction.fields.length > 0;
}

async function redactFor(config: Config): Promise<Redactor> {
  if (!hasRedaction(config)) return (value) => value;
  // The server package is large, and most configurations hide nothing.
  const { createRedactor } = await import('@skein/server');
  return createRedactor(config.redaction);
}

/** The address of a store for `openForest`. */
export function storeAddress(store: StoreChoice, env: NodeJS.ProcessEnv): string {
  if (store.kind === 'memory') return ':memory:';
  if (store.kind === 'file') return store.folder;
  const address = env[store.variable];
  if (address === undefined)
    throw new CommandError(
      'invalid_configuration',
      `The store is PostgreSQL, but its variable ${store.variable} is not set: give it the address.`,
    );
  return address;
}

/**
 * The folder in which recordings wait while the store cannot be written, in the user's data folder: the disk of the store may
 * be the reason. Each project of each store has one of its own; undefined for a store in memory.
 */
export function waitingFolder(
  { store, project }: Pick<Config, 'store' | 'project'>,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (store.kind === 'memory') return undefined;
  const digest = createHash('sha256')
    .update(withoutPassword(storeAddress(store, env)))
    .digest('hex');
  const data = env.XDG_DATA_HOME || join(homedir(), '.local', 'share');
  return join(data, 'skein', 'waiting', `${encodeURIComponent(project)}-${digest.slice(0, 12)}`);
}

/** Folders in which recordings wait for a store with another address, perhaps a former one of this store. */
export function otherWaiting(folder: string): string[] {
  const parent = dirname(folder);
  const namesIn = (path: string) => (existsSync(path) ? readdirSync(path) : []);
  return namesIn(parent)
    .map((name) => join(parent, name))
    .filter((path) => path !== folder && namesIn(path).some((name) => name.endsWith('.jsonl')));
}

/** The same database with another password is the same store. */
function withoutPassword(address: string): string {
  return address.replace(/^([a-z]+:\/\/[^/:@]*):[^/@]*@/, '$1@');
}

/** Describes a store without its address, which may contain a password. */
export function describeStore(store: StoreChoice): string {
  return store.kind === 'file' ? store.folder : store.kind === 'postgres' ? 'PostgreSQL' : 'memory, gone at the end';
}

/** Throws if it is already known that the store cannot be written. */
export async function requireWritable(store: StoreChoice): Promise<void> {
  if (store.kind === 'file') await mayWrite(store.folder);
}

/** Checks the folder, or the nearest existing folder above it. */
async function mayWrite(folder: string): Promise<void> {
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && dirname(folder) !== folder) return mayWrite(dirname(folder));
    throw new CommandError('store_read_only', `${folder} may not be written (${error.code}).`);
  });
}

/** Resolves when the process receives SIGINT or SIGTERM. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}
