import { type ChildProcess, spawn } from 'node:child_process';
import { constants, homedir } from 'node:os';
import { hasKey, type ModelRef, type ProviderDescriptor } from '@skein/core';
import { costOf } from '@skein/core/prices';
import { type Forest, listExchanges } from '@skein/forest';
import { createServer, type Log, type ServerOptions } from '@skein/server';
import { addressesAt, missingKeys, prepareProgram } from '../context/agent-programs.ts';
import { requireWritable, withForest } from '../context/command-context.ts';
import { keyEnvironment } from '../context/keys.ts';
import { DEMO_MODEL, findModel, freeOfCharge, startDemo } from '../context/model-access.ts';
import { CommandError, counted, errorText, note, toPrintable, warn } from '../output/output.ts';
import type { ForestFlags } from './forest-command.ts';

/**
 * `record` and `replay`: runs a program whose requests go through our proxy, which the program does not notice. The exit
 * code is the program's, and so is standard output: our own messages go to standard error.
 */
export async function runBehindProxy(mode: 'record' | 'replay', command: readonly string[], flags: ForestFlags) {
  await withForest(flags, async ({ config, forest }) => {
    // Requests may be expensive, so a store that cannot be written is reported before the program starts.
    if (mode === 'record') await requireWritable(config.store);
    await runBehind(command, {
      server: { forest, config, proxy: { mode, onMiss: 'refuse' } },
      part: 'proxy',
      // A replay needs no keys, but the SDKs do not start without one.
      keys: mode === 'replay' ? missingKeys(process.env) : {},
      isRecorded: mode === 'record',
    });
  });
}

/** `route`: runs a program whose questions a model of another provider answers. */
export async function runBehindGateway(name: string, command: readonly string[], flags: ForestFlags) {
  await withForest(flags, async ({ config, forest }) => {
    await requireWritable(config.store);
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
      await runBehind(command, {
        server: {
          forest,
          config: { ...config, gateway },
          env,
          generate: { costOf: demo ? freeOfCharge : costOf },
          ...(demo && { demo: demo.emulator.env() }),
        },
        part: 'gateway',
        target,
        keys: missingKeys(process.env),
        isRecorded: true,
      });
    } finally {
      await demo?.emulator.close();
    }
  });
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
  const lost: unknown[] = [];
  const since = forest.clock.now();
  const listening = await createServer({ ...server, log: logInto(lost) }).listen({ port: 0, host: '127.0.0.1' });
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
  if (isRecorded) tellRecorded(await listExchanges(forest, { since, limit: 1000 }), lost.length > 0);
  if (lost.length > 0) {
    warn(`${counted(lost.length, 'exchange')} could not be stored: ${toPrintable(errorText(lost.at(-1)))}`);
    process.exitCode ||= 1;
  }
}

/** Collects the errors of exchanges that could not be recorded. The program does not notice them. */
function logInto(lost: unknown[]): Log {
  return {
    info: () => undefined,
    error: (event, error) => {
      if (event === 'recording-failed') lost.push(error);
    },
  };
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

function tellRecorded({ items, next }: Awaited<ReturnType<typeof listExchanges>>, isSomeLost: boolean): void {
  if (items.length === 0) {
    if (isSomeLost) return;
    warn(
      'Nothing was recorded: the program asked nobody, or does not read OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GOOGLE_GEMINI_BASE_URL.',
    );
    return;
  }
  const threads = [...new Set(items.flatMap(({ landing }) => landing?.thread ?? []))];
  const exchanges = next === undefined ? counted(items.length, 'exchange') : `${items.length} and more exchanges`;
  const were = items.length === 1 ? 'was' : 'were';
  note(`${exchanges} ${were} recorded, in ${counted(threads.length, 'conversation')}.`);
  for (const thread of threads.slice(0, 10)) note(`  skein log ${thread}`);
}
