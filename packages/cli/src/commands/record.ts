import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { listExchanges } from '@skein/forest';
import type { Log } from '@skein/server';
import type { Command } from 'commander';
import { requireWritable, withForest } from '../context/command-context.ts';
import { counted, errorText, note, toPrintable, warn } from '../output/output.ts';
import { type ForestFlags, forestCommand } from './forest-command.ts';

/** `record` and `replay`: a program between us and its providers, which needs no change for it. */
export function addRecord(program: Command): void {
  forestCommand(program, 'record', 'run a program, and record what it says to OpenAI, Anthropic and Google')
    .argument('<command...>', 'the program and its arguments, after --')
    .action((command: readonly string[], flags: ForestFlags) => runBehindProxy('record', command, flags));
  forestCommand(program, 'replay', 'run a program again, and answer it from the recordings, without a network')
    .argument('<command...>', 'the program and its arguments, after --')
    .action((command: readonly string[], flags: ForestFlags) => runBehindProxy('replay', command, flags));
}

/** The exit code is the program's; what it prints is its own, so what there is to say goes to standard error. */
async function runBehindProxy(mode: 'record' | 'replay', command: readonly string[], flags: ForestFlags) {
  await withForest(flags, async ({ config, forest }) => {
    // What the program asks may be dear: better not asked than asked in vain.
    if (mode === 'record') await requireWritable(config.store);
    const lost: unknown[] = [];
    const since = forest.clock.now();
    const { createServer } = await import('@skein/server');
    const server = createServer({ forest, config, proxy: { mode, onMiss: 'refuse' }, log: logInto(lost) });
    const listening = await server.listen({ port: 0, host: '127.0.0.1' });
    const env = { ...process.env, ...proxyVariables(listening.url), ...keysFor(mode) };
    try {
      process.exitCode = await runProgram(command, env);
    } finally {
      await listening.close();
    }
    if (mode === 'record') tellRecorded(await listExchanges(forest, { since, limit: 1000 }), lost.length > 0);
    if (lost.length > 0) {
      warn(`${counted(lost.length, 'exchange')} could not be stored: ${toPrintable(errorText(lost.at(-1)))}`);
      process.exitCode ||= 1;
    }
  });
}

/** Collects what could not be recorded: the program itself does not notice. */
function logInto(lost: unknown[]): Log {
  return {
    info: () => undefined,
    error: (event, error) => {
      if (event === 'recording-failed') lost.push(error);
    },
  };
}

/** SDKs do not start without a key, though a replay needs none. */
function keysFor(mode: 'record' | 'replay'): NodeJS.ProcessEnv {
  const names = mode === 'replay' ? ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'] : [];
  return Object.fromEntries(names.filter((name) => !process.env[name]).map((name) => [name, 'replay']));
}

function runProgram([name = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(name, args, { env, stdio: 'inherit' });
    // A terminal tells the program itself of Ctrl+C; we stay until it has ended, to keep what it was told.
    const stay = () => undefined;
    const end = () => child.kill('SIGTERM');
    process.on('SIGINT', stay).on('SIGTERM', end);
    const done = () => process.removeListener('SIGINT', stay).removeListener('SIGTERM', end);
    child.once('error', ({ message }) => {
      done();
      reject(new Error(`"${name}" could not be started (${message}): write it after --, with its arguments.`));
    });
    child.once('close', (code, signal) => {
      done();
      // As shells tell of a signal.
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

/** The variables that the vendors' SDKs read for their base addresses, pointing at the proxy of a server. */
export function proxyVariables(url: string): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: `${url}/proxy/openai/v1`,
    ANTHROPIC_BASE_URL: `${url}/proxy/anthropic`,
    GOOGLE_GEMINI_BASE_URL: `${url}/proxy/google`,
  };
}
