import { type Config, describeProblem, type Flags, loadConfig } from '@skein/agents';
import { type Forest, openForest } from '@skein/forest';
import type { Redact } from '@skein/server';
import { harmless, UsageError, warn } from '../output/output.ts';
import { placeOf } from './store-place.ts';

/** What the commands work with. */
export interface World {
  readonly config: Config;
  readonly forest: Forest;
  /** Hides what the configuration says must not be shown. */
  readonly redact: Redact;
}

/** Does something with the configured forest, and closes it whatever happens. */
export async function inWorld<T>(flags: Flags, use: (world: World) => Promise<T>): Promise<T> {
  const config = await readConfig(flags);
  const redact = await redactFor(config);
  const forest = await openForest(placeOf(config.store, process.env), { project: config.project });
  try {
    const done = await use({ config, forest, redact });
    warnOfDamage(forest);
    return done;
  } finally {
    await forest.close();
  }
}

/** What a command did not show because it cannot be read. It fails then, so that scripts notice. */
function warnOfDamage({ store }: Forest): void {
  const damage = store.problems().filter(({ code }) => DAMAGE.has(code));
  const [first] = damage;
  if (!first) return;
  const more = damage.length > 1 ? `, and at ${damage.length - 1} more places` : '';
  warn(harmless(`The forest is damaged at ${first.where}${more}: ${first.message} "skein fsck" says all.`));
  process.exitCode = 1;
}

const DAMAGE: ReadonlySet<string> = new Set(['damaged-record', 'wrong-hash', 'unreadable-file']);

/** The configuration. A bad flag ends the command: another forest than the one that was meant must not be used. */
export async function readConfig({ store, project, model, preset, agents, port, host }: Flags): Promise<Config> {
  const { config, problems } = await loadConfig({ flags: { store, project, model, preset, agents, port, host } });
  for (const problem of problems) {
    if (problem.file.startsWith('flag ')) throw new UsageError(describeProblem(problem));
    warn(describeProblem(problem));
  }
  return config;
}

/** Whether anything must not be shown or exported. */
export function hasRedaction({ redaction }: Config): boolean {
  return redaction.patterns.length > 0 || redaction.fields.length > 0;
}

async function redactFor(config: Config): Promise<Redact> {
  if (!hasRedaction(config)) return (value) => value;
  // The server is large, and most people have no rules.
  const { createRedact } = await import('@skein/server');
  return createRedact(config.redaction);
}
