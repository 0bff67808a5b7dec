import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Config, type ConfigProblem, currentTime, describeProblem, loadAgents, loadConfig } from '@skein/agents';
import { type ProviderDescriptor, providers } from '@skein/core';
import { costOf } from '@skein/core/prices';
import { createForest, type Forest, memoryStore, openForest } from '@skein/forest';
import { createLog, createServer, isLoopback, seedSample } from '@skein/server';
import { addressesAt, addressVariables } from '../context/agent-programs.ts';
import {
  describeStore,
  otherWaiting,
  storeAddress,
  untilInterrupted,
  waitingFolder,
} from '../context/command-context.ts';
import { keyEnvironment } from '../context/keys.ts';
import {
  agentProblems,
  configuredProvider,
  DEMO_MODEL,
  freeOfCharge,
  needsDemo,
  startDemo,
  withKeys,
} from '../context/model-access.ts';
import { colors, say, UsageError, warn } from '../output/output.ts';

interface ServeOptions {
  readonly port?: number;
  readonly host?: string;
  readonly store?: string;
  readonly project?: string;
  readonly model?: string;
  readonly preset?: string;
  readonly token?: string;
  readonly open: boolean;
  readonly hosts?: string;
  readonly proxyMode?: string;
  readonly proxyOnMiss?: string;
  readonly useServerKeys?: boolean;
  readonly version: string;
}

/** Runs the server on the configured forest until Ctrl+C. */
export async function serve({ token: tokenVariable, open, version, ...flags }: ServeOptions): Promise<void> {
  const { config, problems, sources } = await loadConfig({ flags });
  refuseUnsafe(problems);
  for (const problem of problems) warn(describeProblem(problem));
  const isNamed = tokenVariable !== undefined || sources['server.token_variable'] !== undefined;
  const token = readToken(tokenVariable ?? config.server.tokenVariable, isNamed, config.server.host);
  requireGatewayTokens(config.gateway.tokens, process.env);
  const own = keyEnvironment(config);
  const keys = withKeys([...providers(), ...Object.values(config.providers)], own);
  const closing: (() => Promise<unknown> | undefined)[] = [];
  try {
    const named = configuredProvider(config);
    const demo = needsDemo(config, named) ? await startDemo(own) : undefined;
    closing.push(() => demo?.emulator.close());
    const env = demo?.env ?? own;
    const forest = await openForest(storeAddress(config.store, env), { project: config.project });
    closing.push(() => forest.close());
    const loaded = await loadAgents(config.agents, { config, env, forest });
    closing.push(() => loaded.close());
    for (const problem of agentProblems(loaded)) warn(describeProblem(problem));
    const page = pageFolder();
    const waiting = waitingFolder(config, env);
    for (const other of waiting === undefined ? [] : otherWaiting(waiting))
      warn(
        `Recordings wait in ${other} for another store or project, or for another address of this one. If it is this one, move them to ${waiting}.`,
      );
    const server = createServer({
      forest,
      ...(waiting !== undefined && { waiting: { folder: waiting } }),
      config,
      env: own,
      version,
      agents: async () => loaded.agents,
      problems: [...problems, ...agentProblems(loaded)],
      tools: [currentTime()],
      generate: { costOf: demo ? freeOfCharge : costOf },
      prices: costOf,
      log: createLog((line) => process.stderr.write(`${line}\n`)),
      ...(token !== undefined && { token }),
      ...(page !== undefined && { page }),
      ...(demo && { demo: demo.emulator.env(), samples: await sampleForest(), model: DEMO_MODEL }),
    });
    const listening = await server.listen({ port: config.server.port, host: config.server.host });
    closing.push(() => listening.close());

    say(`${colors.bold('Skein')} ${version} is running. Ctrl+C ends it.`);
    say(`  forest  ${describeStore(config.store)}, project ${config.project}`);
    if (page !== undefined) say(`  page    ${listening.url}/`);
    tellAddresses(listening.url, config.proxy);
    if (demo) tellDemo();
    else tellKeys(keys, named);
    const { env: surroundings, platform, stdout } = process;
    const isSeen = mayOpen({ env: surroundings, platform, isTerminal: stdout.isTTY });
    if (open && isSeen && page !== undefined) openPage(`${listening.url}/`);
    await untilInterrupted();
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** The samples are in memory, so that the user's store contains only the user's conversations. */
async function sampleForest(): Promise<Forest> {
  const forest = createForest(memoryStore(), { project: 'samples' });
  await seedSample(forest);
  return forest;
}

function tellAddresses(url: string, { mode, useServerKeys }: Config['proxy']): void {
  say(`  API     ${url}/api/v1   (${url}/api/openapi.json)`);
  if (mode !== 'record') say(`  proxy   in mode ${mode}`);
  if (useServerKeys) say('  keys    clients without a key of their own use those of this server');
  say('  proxy   give your clients these base addresses, and what they say is recorded:');
  for (const [name, address] of Object.entries(addressVariables(addressesAt(url, 'proxy'))))
    say(`            ${name}=${address}`);
  say(`  gateway the same with /gateway in place of /proxy: any model answers, by its name or by a route`);
}

function tellKeys(keys: readonly ProviderDescriptor[], named: readonly ProviderDescriptor[]): void {
  const names = (those: readonly ProviderDescriptor[]) => those.map(({ id }) => id).join(', ');
  say(`  keys    ${keys.length > 0 ? names(keys) : `none; ${names(named)} needs none`}`);
}

function tellDemo(): void {
  say(colors.yellow('  DEMO    no provider has a key, so a stand-in answers that understands nothing.'));
  say(colors.yellow('          Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY and start again.'));
}

/** The token that clients need; undefined if they need none. A variable that the user named must contain one. */
function readToken(variable: string, isNamed: boolean, host: string): string | undefined {
  const token = process.env[variable] || undefined;
  if (token === undefined && isNamed)
    throw new UsageError(`The variable ${variable} has no token: set it, or start without --token and token_variable.`);
  if (token === undefined && !isLoopback(host))
    throw new UsageError(
      `A server at ${host} can be reached from elsewhere: set ${variable} to a token, or name another variable with --token.`,
    );
  return token;
}

/** A token that nobody has lets nobody in, and two with one value cannot be told apart. */
function requireGatewayTokens(tokens: Config['gateway']['tokens'], env: NodeJS.ProcessEnv): void {
  const names = new Map<string, string>();
  for (const { name, variable } of tokens) {
    const value = env[variable];
    if (!value) throw new UsageError(`The variable ${variable} has no token for "${name}" of the gateway: set it.`);
    const twin = names.get(value);
    if (twin !== undefined)
      throw new UsageError(`"${name}" and "${twin}" of the gateway have the same token: give each its own.`);
    names.set(value, name);
  }
}

/** Refuses to start on a wrong value that protects something: without it, the server could be open, or show hidden texts. */
function refuseUnsafe(problems: readonly ConfigProblem[]): void {
  const unsafe = problems.find(
    ({ severity, file, key }) =>
      severity === 'error' && (file.startsWith('flag ') || /^(?:server|proxy|gateway|redaction)\b/.test(key)),
  );
  if (unsafe) throw new UsageError(describeProblem(unsafe));
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly isTerminal: boolean;
}

/** Whether the user would see a browser that opens now. */
export function mayOpen({ env, platform, isTerminal }: Surroundings): boolean {
  if (!isTerminal || env.CI || env.SSH_CONNECTION || env.SSH_TTY) return false;
  // Without a screen, xdg-open would start a text browser in this terminal.
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Opens an address in the browser. Failures are ignored, because the address is printed anyway. */
function openPage(url: string, platform: NodeJS.Platform = process.platform): void {
  const [program, args] = browserCommand(platform, url);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.once('error', () => undefined);
  child.unref();
}

export function browserCommand(platform: NodeJS.Platform, url: string): [program: string, args: string[]] {
  if (platform === 'darwin') return ['open', [url]];
  // `start` is part of cmd, and takes its first argument as a window title.
  if (platform === 'win32') return ['cmd', ['/c', 'start', '', url]];
  return ['xdg-open', [url]];
}

/** The folder of the page's files; undefined if the page is not built. */
function pageFolder(): string | undefined {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@skein/web/package.json')), 'dist');
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}

/** Runs strict stand-ins for the providers until Ctrl+C. */
export async function emulate({
  port,
  brain,
  strict,
}: {
  readonly port: number;
  readonly brain: 'demo' | 'echo';
  readonly strict?: 'unknown';
}): Promise<void> {
  // The other commands of this file do not need the emulator.
  const { startEmulator } = await import('@skein/emulator');
  const emulator = await startEmulator({ port, brain, settings: { refuseUnknown: strict === 'unknown' } });
  say('Strict stand-ins for the providers. Any key is accepted. Ctrl+C ends them.');
  for (const [name, value] of Object.entries(emulator.env())) if (name.includes('_URL')) say(`  ${name}=${value}`);
  await untilInterrupted();
  await emulator.close();
}
