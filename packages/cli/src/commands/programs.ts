import { type ChildProcess, spawn } from 'node:child_process';
import { constants, homedir } from 'node:os';
import type { Config } from '@skein/agents';
import { hasKey, type ModelRef, type ProviderDescriptor } from '@skein/core';
import { costOf } from '@skein/core/prices';
import { type Forest, listExchanges, type ReplayEvent } from '@skein/forest';
import { createServer, type Log, type ServerOptions } from '@skein/server';
import { addressesAt, findAgent, missingKeys, prepareProgram } from '../context/agent-programs.ts';
import { requireWritable, waitingFolder, withForest } from '../context/command-context.ts';
import { keyEnvironment } from '../context/keys.ts';
import { locate } from '../context/locate.ts';
import { DEMO_MODEL, findModel, freeOfCharge, startDemo } from '../context/model-access.ts';
import { CommandError, counted, errorText, note, toPrintable, UsageError, warn } from '../output/output.ts';
import type { ForestFlags } from './forest-command.ts';

/**
 * `record`: runs a program whose requests go through our proxy, which the program does not notice. The exit code is the
 * program's, and so is standard output: our own messages go to standard error.
 */
export async function recordProgram(command: readonly string[], flags: ForestFlags) {
  await withForest(flags, async ({ config, forest }) => {
    // Requests may be expensive, so a store that cannot be written is reported before the program starts.
    await requireWritable(config.store);
    const server = { forest, config, proxy: { mode: 'record' } } as const;
    await runBehind(command, { server, part: 'proxy', keys: {}, isRecorded: true });
  });
}

/** The flags of `replay`. */
export interface ReplayFlags extends ForestFlags {
  readonly until?: string;
  readonly then?: string;
}

/** `replay`: runs a program that is answered from the recordings, up to a point or to its end. */
export async function replayProgram(command: readonly string[], { until, then: name, ...flags }: ReplayFlags) {
  if ((until === undefined) !== (name === undefined))
    throw new UsageError('--until and --then belong together: up to which answer, and who answers then.');
  // A replay needs no keys, but the SDKs do not start without one.
  const common = { part: 'proxy', keys: missingKeys(process.env) } as const;
  await withForest(flags, async ({ config, forest }) => {
    if (until === undefined || name === undefined) {
      const proxy = { mode: 'replay', onMiss: 'refuse' } as const;
      return runBehind(command, { ...common, server: { forest, config, proxy }, isRecorded: false });
    }
    await requireWritable(config.store);
    const between = await exchangesTo(forest, until);
    await withModel(name, config, async (model) => {
      const answered = new Set<string>();
      const onReplay = (event: ReplayEvent) => event.kind === 'hit' && answered.add(event.exchange);
      const proxy = { mode: 'replay', onMiss: 'route', replayer: { between, onReplay } } as const;
      note(
        'Only the answers of models come from the recording. Files, programs and the network are as they are now: what the program does to them up to this point, it does again.',
      );
      await runBehind(command, { ...common, server: { ...model.server, forest, proxy }, isRecorded: true });
      note(`${counted(answered.size, 'answer')} came from the recording.`);
      if (!answered.has(between[1]))
        warn(
          `The program did not come to the answer of --until: before it, it asked something that was not recorded. ${toPrintable(name)} answered from there on.`,
        );
    });
  });
}

/**
 * The first and the last exchange of the conversation up to a node. What the program asked on the side lies between them; what
 * an earlier run of it asked does not.
 */
async function exchangesTo(forest: Forest, id: string): Promise<readonly [first: string, last: string]> {
  const { node } = await locate(forest, id);
  const replies = (await forest.path(node)).filter(({ role }) => role === 'assistant');
  const exchanges = replies.flatMap(
    ({ takes }) => takes.findLast(({ exchange }) => exchange !== undefined)?.exchange ?? [],
  );
  const [first] = exchanges;
  if (first !== undefined) return [first, exchanges.at(-1)!];
  throw new UsageError(`No answer up to "${toPrintable(id)}" was recorded from a program, so none can be replayed.`);
}

/** `route`: runs a program whose questions a model of another provider answers. */
export async function runBehindGateway(name: string, command: readonly string[], flags: ForestFlags) {
  await withForest(flags, async ({ config, forest }) => {
    await requireWritable(config.store);
    await withModel(name, config, ({ server, target }) =>
      runBehind(command, {
        ...{ server: { ...server, forest }, part: 'gateway', target },
        ...{ keys: missingKeys(process.env), isRecorded: true },
      }),
    );
  });
}

/** What a server needs whose gateway sends every question to one model. */
interface ModelServer {
  readonly server: Omit<ServerOptions, 'forest'>;
  readonly target: ModelRef;
}

async function withModel(name: string, config: Config, use: (model: ModelServer) => Promise<void>): Promise<void> {
  const env = keyEnvironment(config);
  const target = findModel(name, config);
  const isDemo = name === DEMO_MODEL && !hasKey(target.provider, { env });
  const demo = isDemo ? await startDemo(env) : undefined;
  try {
    if (!demo) requireKey(target.provider, env);
    // Whatever a program asks for goes to this model; what it names as provider/model goes there.
    const gateway = {
      ...config.gateway,
      routes: [{ pattern: '*', provider: target.provider.id, model: target.model }],
      tokens: [],
    };
    const server = {
      config: { ...config, gateway },
      env,
      generate: { costOf: demo ? freeOfCharge : costOf },
      ...(demo && { demo: demo.emulator.env() }),
    };
    await use({ server, target });
  } finally {
    await demo?.emulator.close();
  }
}

function requireKey(provider: ProviderDescriptor, env: NodeJS.ProcessEnv): void {
  if (hasKey(provider, { env })) return;
  const variables = provider.connection?.keyVariables.join(' or ') || 'its key';
  throw new CommandError(
    'missing_key',
    `${provider.id} has no key here: skein keys set ${provider.id}, or set ${variables}.`,
  );
}

interface ProgramRun {
  readonly server: ServerOptions & { readonly forest: Forest };
  readonly part: 'proxy' | 'gateway';
  /** The model that the program is told to ask for. */
  readonly target?: ModelRef;
  readonly keys: Readonly<Record<string, string>>;
  readonly isRecorded: boolean;
}

/** Runs a program behind a server of its own, which ends with it. */
export async function runBehind(command: readonly string[], { server, part, target, keys, isRecorded }: ProgramRun) {
  const { forest } = server;
  const trouble = createTrouble();
  const since = forest.clock.now();
  const waiting = waitingFolder(server.config, process.env);
  const own = { ...server, ...(waiting !== undefined && { waiting: { folder: waiting } }), log: trouble.log };
  const listening = await createServer(own).listen({ port: 0, host: '127.0.0.1' });
  try {
    const program = await prepareProgram(command, {
      addresses: addressesAt(listening.url, part),
      target,
      env: { ...process.env, ...keys },
      home: homedir(),
    });
    try {
      process.exitCode = await runProgram(program.command, program.env);
    } finally {
      await program.close();
    }
  } finally {
    await listening.close();
  }
  if (isRecorded) {
    const recorded = await listExchanges(forest, { since, limit: 1000 });
    const threads = [...new Set(recorded.items.flatMap(({ landing }) => landing?.thread ?? []))];
    await describeThreads(forest, threads, command);
    tellRecorded(recorded, threads, trouble.lost.length > 0 || trouble.waiting !== undefined);
  }
  if (trouble.lost.length > 0)
    warn(
      `${counted(trouble.lost.length, 'exchange')} could not be stored: ${toPrintable(errorText(trouble.lost.at(-1)))}`,
    );
  if (trouble.waiting)
    warn(
      `${counted(trouble.waiting.exchanges, 'exchange')} could not be stored yet, and wait in ${waiting}; the next "skein", "skein record" or "skein route" on this store stores them: ${toPrintable(trouble.waiting.reason)}`,
    );
  if (trouble.lost.length > 0 || trouble.waiting) process.exitCode ||= 1;
}

/** What a known agent did is found by its name and the folder, even before its log is imported. */
async function describeThreads(forest: Forest, threads: readonly string[], command: readonly string[]): Promise<void> {
  const { agent } = findAgent(command);
  if (!agent) return;
  for (const id of threads) {
    const thread = await forest.threads.get(id);
    if (thread.agent === undefined) await forest.threads.describe(id, { agent: agent.id, cwd: process.cwd() });
  }
}

/** What became of the exchanges that were not stored. The program does not notice it. */
interface RecordingTrouble {
  readonly log: Log;
  readonly lost: unknown[];
  /** How many still wait, and why; undefined if none do. */
  waiting: { readonly exchanges: number; readonly reason: string } | undefined;
}

function createTrouble(): RecordingTrouble {
  const trouble: RecordingTrouble = {
    log: {
      info: (event) => {
        if (event === 'recordings-wait-over') trouble.waiting = undefined;
      },
      error: (event, error, facts) => {
        if (event === 'recording-failed') trouble.lost.push(error);
        if (event === 'recordings-wait')
          trouble.waiting = { exchanges: Number(facts?.exchanges), reason: errorText(error) };
      },
    },
    lost: [],
    waiting: undefined,
  };
  return trouble;
}

function runProgram([name = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(name, args, { env, stdio: 'inherit' });
    // On Ctrl+C the terminal signals the program itself. We wait for its end, to record its last exchanges.
    const stay = () => undefined;
    const end = () => child.kill('SIGTERM');
    process.on('SIGINT', stay).on('SIGTERM', end);
    const done = () => process.removeListener('SIGINT', stay).removeListener('SIGTERM', end);
    child.once('error', ({ message }) => {
      done();
      reject(
        new CommandError(
          'failed',
          `"${name}" could not be started (${message}): write it after --, with its arguments.`,
        ),
      );
    });
    child.once('close', (code, signal) => {
      done();
      // The exit code that shells use for a signal.
      resolve(code ?? 128 + constants.signals[signal!]);
    });
  });
}

function tellRecorded(
  { items, next }: Awaited<ReturnType<typeof listExchanges>>,
  threads: readonly string[],
  isSomeLost: boolean,
): void {
  if (items.length === 0) {
    if (isSomeLost) return;
    warn(
      'Nothing was recorded: the program asked nobody, or does not read OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GOOGLE_GEMINI_BASE_URL.',
    );
    return;
  }
  const exchanges = next === undefined ? counted(items.length, 'exchange') : `${items.length} and more exchanges`;
  const were = items.length === 1 ? 'was' : 'were';
  note(`${exchanges} ${were} recorded, in ${counted(threads.length, 'conversation')}.`);
  for (const thread of threads.slice(0, 10)) note(`  skein log ${thread}`);
}
