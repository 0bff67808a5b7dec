import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { type Config, type ConfigProblem, describeProblem, findProvider, loadAgents, loadConfig } from '@skein/agents';
import { dialect, hasKey, type ProviderDescriptor, provider, providers, resolveEndpoint } from '@skein/core';
import { CODING_AGENTS, openForest } from '@skein/forest';
import { AGENT_PROGRAMS } from '../context/agent-programs.ts';
import { describeStore, readConfig, requireWritable, storeAddress } from '../context/command-context.ts';
import { keyEnvironment } from '../context/keys.ts';
import { agentProblems, configuredProvider, needsDemo, withKeys } from '../context/model-access.ts';
import { sayList } from '../output/list.ts';
import { colors, counted, errorText, oneLine, say, sayJson, toPrintable, warn } from '../output/output.ts';
import { columnOf } from '../output/width.ts';
import type { ForestFlags, ListFlags } from './forest-command.ts';

export async function listModels(name: string | undefined, flags: ListFlags): Promise<void> {
  const config = await readConfig({});
  if (name === undefined) return listProviders(config, flags);
  const { id } = findProvider(name, config.providers);
  // The price list is large, and most commands do not need it.
  const { listedModels, modelInfoWithLimits } = await import('@skein/core/prices');
  const items = listedModels(id).map((model) => {
    const { contextTokens } = modelInfoWithLimits(id, model);
    return { id: `${id}/${model}`, ...(contextTokens !== undefined && { contextTokens }) };
  });
  const column = columnOf(items.map((item) => item.id));
  await sayList(items, flags, {
    line: ({ id, contextTokens }) =>
      contextTokens === undefined ? id : `${column(id)}  ${colors.dim(`${`${contextTokens}`.padStart(8)} tokens`)}`,
    empty: `No list of the models of ${id} is known here. Any name can be asked for: ${id}/name.`,
    more: { provider: id },
  });
}

async function listProviders(config: Config, flags: ListFlags): Promise<void> {
  const own = Object.values(config.providers);
  const env = keyEnvironment(config);
  const all = [...own, ...providers().filter(({ id }) => !own.some((one) => one.id === id))];
  const items = all.map((one) => ({
    id: one.id,
    dialect: one.dialect,
    key: keyState(one, env),
    variables: one.connection?.keyVariables ?? [],
  }));
  const name = columnOf(items.map(({ id }) => id));
  const protocol = columnOf(items.map(({ dialect }) => dialect));
  await sayList(items, flags, {
    line: ({ id, dialect, key, variables: [variable] }) => {
      const state =
        key === 'there' ? colors.green('key') : key === 'missing' ? colors.dim(`set ${variable}`) : 'no key needed';
      return `${name(id)}  ${protocol(dialect)}  ${state}`;
    },
    empty: 'There is no provider.',
    row: ({ variables, ...one }) => ({ ...one, variables: variables.join(' ') }),
  });
}

function keyState(one: ProviderDescriptor, env: NodeJS.ProcessEnv): 'there' | 'missing' | 'not needed' {
  if (one.connection?.needsKey === false) return 'not needed';
  return hasKey(one, { env }) ? 'there' : 'missing';
}

export async function listAgents({ json, format, ...flags }: ListFlags & { readonly agents?: string }): Promise<void> {
  const config = await readConfig(flags);
  const loaded = await loadAgents(config.agents, { config });
  try {
    const items = loaded.agents.map(({ id, name, description, file, model, toolNames }) => ({
      id,
      name,
      ...(description !== undefined && { description }),
      model: `${model.provider.id}/${model.model}`,
      tools: toolNames,
      file,
    }));
    const problems = agentProblems(loaded);
    if (problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    const choice = { ...(json && { json }), ...(format && { format }) };
    if (choice.json === undefined && choice.format === undefined)
      for (const problem of problems) warn(describeProblem(problem));
    await sayList(items, choice, {
      line: ({ id, name, description = '', model, tools }) => {
        const line = `${colors.yellow(id)}  ${model}  ${oneLine(name === id ? description : `${name}. ${description}`)}`;
        return tools.length === 0 ? line : `${line}\n${colors.dim(`  tools: ${tools.join(', ')}`)}`;
      },
      empty: `There is no agent in ${config.agents}: an agent is a YAML file there.`,
      row: ({ tools, ...one }) => ({ ...one, tools: tools.join(' ') }),
      more: { problems },
    });
  } finally {
    await loaded.close();
  }
}

interface Check {
  readonly name: string;
  /** `hint` means that it works, but could be better. */
  readonly state: 'ok' | 'hint' | 'error';
  readonly message: string;
}

export async function doctor({ json, ...flags }: ForestFlags): Promise<void> {
  const { config, files, problems } = await loadConfig({ flags });
  const known = [
    ...Object.values(config.providers),
    ...providers().filter(({ id }) => !Object.hasOwn(config.providers, id)),
  ];
  const checks: Check[] = [
    checkNode(),
    ...(problems.length === 0
      ? [ok('configuration', files.length === 0 ? 'no file, all defaults' : files.join(', '))]
      : problems.map((problem) => checkOf('configuration', problem))),
    await checkStore(config),
    checkKeys(config, known),
    ...checkAddresses(known, keyEnvironment(config)),
    await checkPort(config.server),
    ...(await checkAgents(config)),
    ...(await checkCodingAgents()),
    ...(await checkGateway(config, known)),
  ];
  const isWell = checks.every(({ state }) => state !== 'error');
  if (json) sayJson({ ok: isWell, checks });
  else for (const { name, state, message } of checks) say(`${SIGNS[state]} ${name.padEnd(13)} ${toPrintable(message)}`);
  if (!isWell) process.exitCode = 1;
}

const SIGNS = { ok: colors.green('ok   '), hint: colors.yellow('hint '), error: colors.red('error') };

const ok = (name: string, message: string): Check => ({ name, state: 'ok', message });

function checkOf(name: string, problem: ConfigProblem): Check {
  return { name, state: problem.severity === 'error' ? 'error' : 'hint', message: describeProblem(problem) };
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const message = `Node ${process.versions.node}`;
  if (major > 20 || (major === 20 && minor >= 19)) return ok('versions', message);
  return { name: 'versions', state: 'error', message: `${message} is too old: install 20.19 or later.` };
}

async function checkStore(config: Config): Promise<Check> {
  try {
    const forest = await openForest(storeAddress(config.store, process.env), { project: config.project });
    try {
      const { items, next } = await forest.threads.list({ limit: 100 });
      const count = next === undefined ? counted(items.length, 'conversation') : 'more than 100 conversations';
      await requireWritable(config.store);
      return ok('store', `${describeStore(config.store)}, project ${config.project}: ${count}`);
    } finally {
      await forest.close();
    }
  } catch (error) {
    return { name: 'store', state: 'error', message: errorText(error) };
  }
}

function checkKeys(config: Config, known: readonly ProviderDescriptor[]): Check {
  const there = withKeys(known, keyEnvironment(config)).map(({ id }) => id);
  if (there.length > 0) return ok('keys', there.join(', '));
  if (!needsDemo(config, configuredProvider(config))) return ok('keys', `none, and ${config.model} needs none`);
  const message =
    'No provider has a key, so only the demo answers: "skein keys set anthropic" stores one, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY.';
  return { name: 'keys', state: 'hint', message };
}

/** Only for providers that can be asked: the others need no address. */
function checkAddresses(known: readonly ProviderDescriptor[], env: NodeJS.ProcessEnv): Check[] {
  return known
    .filter((one) => one.connection && hasKey(one, { env }) && one.connection.needsKey !== false)
    .map((one) => {
      try {
        return ok('addresses', `${one.id}: ${new URL(resolveEndpoint(one).baseUrl).origin}`);
      } catch (error) {
        return { name: 'addresses', state: 'error', message: (error as Error).message };
      }
    });
}

function checkPort({ port, host }: Config['server']): Promise<Check> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ message }) =>
      resolve({
        name: 'port',
        state: 'hint',
        message: `${host}:${port} cannot be listened at (${message}): a server may run already; --port takes another.`,
      }),
    );
    server.listen(port, host, () => server.close(() => resolve(ok('port', `${host}:${port} is free`))));
  });
}

/** Where the models go that the usual clients ask for, and what is missing on the way. */
async function checkGateway(config: Config, known: readonly ProviderDescriptor[]): Promise<Check[]> {
  const name = 'gateway';
  const { gateway } = config;
  const env = keyEnvironment(config);
  // The server package is large, and other commands of this file do not need it.
  const { explainRoute } = await import('@skein/server');
  const empty = gateway.tokens.filter(({ variable }) => !process.env[variable]);
  const missing = empty.map(
    ({ name: token, variable }): Check => ({ name, state: 'hint', message: `token ${token}: set ${variable}.` }),
  );
  if (gateway.routes.length === 0)
    return [ok(name, "no routes: bare names of models go to the client's own vendor"), ...missing];
  const clients = AGENT_PROGRAMS.map(({ title, vendor, models }): Check => {
    const { dialect: spoken } = provider(vendor);
    const ways = models.map((model) => ({
      model,
      ...explainRoute({ model, dialect: dialect(spoken) }, gateway, { providers: known }),
    }));
    const keyless = ways.flatMap(({ target }) =>
      target && !hasKey(target.provider, { env }) ? [target.provider] : [],
    );
    const lacks = keyless.map(({ id, connection }) => `${id} has no key: set ${connection?.keyVariables.join(' or ')}`);
    const text = ways.map(({ model, text: way }) => `${model} → ${way}`).join(', ');
    const message = [`${title}: ${text}`, ...new Set(lacks)].join('; ');
    return { name, state: lacks.length > 0 ? 'hint' : 'ok', message };
  });
  return [...clients, ...missing];
}

async function checkAgents(config: Config): Promise<Check[]> {
  const loaded = await loadAgents(config.agents, { config });
  await loaded.close();
  const names = loaded.agents.map(({ id }) => id).join(', ') || 'none';
  return [ok('agents', names), ...agentProblems(loaded).map((problem) => checkOf('agents', problem))];
}

/** Which coding agents are on this machine, how `skein record` reaches them, and where their sessions are. */
async function checkCodingAgents(): Promise<Check[]> {
  const name = 'coding agents';
  const checks: Check[] = [];
  for (const { id, name: program, title, reachedBy } of AGENT_PROGRAMS) {
    const path = await findProgram(program);
    const folder = CODING_AGENTS.find((agent) => agent.id === id)?.folder(process.env);
    const hasSessions = folder !== undefined && (await isThere(folder));
    if (path === undefined && !hasSessions) continue;
    const reached =
      path === undefined ? `no program "${program}"` : `${path}; skein record -- ${program} reaches it by ${reachedBy}`;
    const sessions = hasSessions ? `sessions in ${folder}` : 'no sessions yet';
    checks.push(ok(name, `${title}: ${reached}; ${sessions}`));
  }
  return checks.length > 0 ? checks : [ok(name, 'none')];
}

/** The path of a program that the shell would find. */
async function findProgram(program: string): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? ['.cmd', '.exe', ''] : [''];
  for (const folder of (process.env.PATH ?? '').split(delimiter))
    for (const ending of endings) {
      const path = join(folder, `${program}${ending}`);
      if (folder !== '' && (await isThere(path))) return path;
    }
  return undefined;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
