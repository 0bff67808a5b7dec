import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type ModelRef, modelInfo, openaiResponses } from '@skein/core';
import { CommandError } from '../output/output.ts';
import { claimRunFolder, type RunFolder } from './run-folder.ts';

/** The base addresses of a server of ours, as the vendors' SDKs take them. */
export interface VendorAddresses {
  readonly openai: string;
  readonly anthropic: string;
  readonly google: string;
}

/** The addresses of the recording proxy, or of the gateway. */
export function addressesAt(url: string, part: 'proxy' | 'gateway'): VendorAddresses {
  const base = `${url}/${part}`;
  return { openai: `${base}/openai/v1`, anthropic: `${base}/anthropic`, google: `${base}/google` };
}

/** The variables from which the vendors' SDKs read their base addresses. */
export function addressVariables({ openai, anthropic, google }: VendorAddresses): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: openai, ANTHROPIC_BASE_URL: anthropic, GOOGLE_GEMINI_BASE_URL: google };
}

/** A key for SDKs that do not start without one; the server knows that it is none. */
const NO_KEY = 'skein';

/** The variables of keys, as far as they are not set: SDKs do not start without one. */
export function missingKeys(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const names = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'];
  return Object.fromEntries(names.filter((name) => !env[name]).map((name) => [name, NO_KEY]));
}

/** A coding agent whose requests can be sent elsewhere. */
export interface AgentProgram {
  /** The name under which its sessions are known. */
  readonly id: string;
  /** The name of the program. */
  readonly name: string;
  /** The package that has it, for `npx`. */
  readonly package: string;
  readonly title: string;
  /** The protocol that it speaks, as the vendor's name. */
  readonly vendor: keyof VendorAddresses;
  /** Models that it asks for by itself. */
  readonly models: readonly string[];
  /** How its requests are sent to us, for people. */
  readonly reachedBy: string;
  /** What it needs beside the variables of the SDKs. */
  readonly setUp: (options: SetUpOptions) => Promise<ProgramNeeds> | ProgramNeeds;
}

interface SetUpOptions {
  readonly addresses: VendorAddresses;
  /** The model that answers, where the program is to ask for it. */
  readonly target: ModelRef | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** The arguments that the user gives. */
  readonly args: readonly string[];
  /** An empty folder that is removed when the program ends. Its path is that of the last run for the same folder of the agent. */
  readonly folder: (own: string) => Promise<string>;
}

interface ProgramNeeds {
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments before those of the user. */
  readonly args?: readonly string[];
  /** Called when the program has ended. */
  readonly done?: () => Promise<void>;
}

/** The coding agents that are known, in the versions of November 2026. */
export const AGENT_PROGRAMS: readonly AgentProgram[] = [
  {
    id: 'claude-code',
    name: 'claude',
    package: '@anthropic-ai/claude-code',
    title: 'Claude Code',
    vendor: 'anthropic',
    models: ['claude-opus-5-5', 'claude-haiku-4-5'],
    reachedBy: 'the variable ANTHROPIC_BASE_URL',
    setUp: ({ target }) => ({ env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ...claudeModels(target) } }),
  },
  {
    id: 'codex',
    name: 'codex',
    package: '@openai/codex',
    title: 'Codex',
    vendor: 'openai',
    models: ['gpt-5.5'],
    reachedBy: 'its option -c openai_base_url',
    // It does not read OPENAI_BASE_URL.
    setUp: ({ target, addresses: { openai } }) =>
      target
        ? {
            env: { SKEIN_ROUTE_KEY: NO_KEY },
            args: [
              ...override('model_provider', '"skein"'),
              ...override(
                'model_providers.skein',
                `{name="skein",base_url=${JSON.stringify(openai)},wire_api="responses",env_key="SKEIN_ROUTE_KEY"}`,
              ),
              ...override('model', JSON.stringify(nameOf(target))),
            ],
          }
        : { args: override('openai_base_url', JSON.stringify(openai)) },
  },
  {
    id: 'gemini-cli',
    name: 'gemini',
    package: '@google/gemini-cli',
    title: 'Gemini CLI',
    vendor: 'google',
    models: ['gemini-3-pro-preview', 'gemini-2.5-flash'],
    reachedBy: 'the variable GOOGLE_GEMINI_BASE_URL, and a copy of its settings that names the key',
    async setUp({ target, env, args, home, folder }) {
      const model = target && !hasFlag(args, '-m', '--model') ? ['-m', nameOf(target)] : [];
      // With a base address, it takes a way to sign in that fails, unless its settings name another.
      if (!target && !env.GEMINI_API_KEY) return { args: model };
      const own = join(env.GEMINI_CLI_HOME || home, '.gemini');
      const top = await folder(own);
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
      const done = await overlayFolder(own, join(top, '.gemini'), 'settings.json', settings);
      return { args: model, env: { GEMINI_CLI_HOME: top }, done };
    },
  },
  {
    id: 'opencode',
    name: 'opencode',
    package: 'opencode-ai',
    title: 'OpenCode',
    vendor: 'openai',
    models: ['gpt-5.5', 'gpt-5.4-nano'],
    reachedBy: 'the variable OPENCODE_CONFIG_CONTENT',
    setUp({ target, env, addresses }) {
      const variable = 'OPENCODE_CONFIG_CONTENT';
      const given = env[variable] ? parseObject(env[variable], `the variable ${variable}`) : {};
      return { env: { [variable]: JSON.stringify(merge(given, openCodeConfig(addresses, target))) } };
    },
  },
  {
    id: 'pi',
    name: 'pi',
    package: '@mariozechner/pi-coding-agent',
    title: 'pi',
    vendor: 'openai',
    models: ['gpt-5.5'],
    reachedBy: 'a copy of its models.json with other addresses',
    async setUp({ target, env, args, home, addresses, folder }) {
      const own = env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent');
      const isChosen = hasFlag(args, '--provider', '--model');
      const top = await folder(own);
      const done = await overlayFolder(own, top, 'models.json', piModels(addresses, target));
      return {
        env: { PI_CODING_AGENT_DIR: top },
        args: target && !isChosen ? ['--provider', 'skein', '--model', nameOf(target)] : [],
        done,
      };
    },
  },
];

/** A program, ready to be run so that its requests reach a server of ours. */
export interface PreparedProgram {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Removes what was written for it. */
  close(): Promise<void>;
}

/**
 * Points a program at a server of ours: by the variables of the vendors' SDKs, and for known agents by what they need beside
 * them. Nothing of the user's own files changes.
 */
export async function prepareProgram(
  command: readonly string[],
  options: Pick<SetUpOptions, 'addresses' | 'target' | 'env' | 'home'>,
): Promise<PreparedProgram> {
  let made: RunFolder | undefined;
  const folder = async (own: string) => {
    made ??= await claimRunFolder(own);
    return made.path;
  };
  let finish: ProgramNeeds['done'];
  const close = async () => {
    await finish?.();
    finish = undefined;
    await made?.release();
    made = undefined;
  };
  const { agent, at } = findAgent(command);
  try {
    const {
      env = {},
      args = [],
      done,
    } = (await agent?.setUp({ ...options, args: command.slice(at + 1), folder })) ?? {};
    finish = done;
    return {
      command: [...command.slice(0, at + 1), ...args, ...command.slice(at + 1)],
      env: { ...options.env, ...addressVariables(options.addresses), ...env },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'pnpm', 'yarn', 'npm']);

/** The agent that a command runs, itself or by `npx`, and the place of its name. */
export function findAgent(command: readonly string[]): {
  readonly agent: AgentProgram | undefined;
  readonly at: number;
} {
  const nameAt = (at: number) => {
    const word = command[at] ?? '';
    const name = basename(word, extname(word));
    const plain = word.replace(/(?<=.)@[^/]*$/, '');
    return AGENT_PROGRAMS.find((one) => one.name === name || one.package === plain);
  };
  const first = nameAt(0);
  if (first || !RUNNERS.has(basename(command[0] ?? '', extname(command[0] ?? '')))) return { agent: first, at: 0 };
  const at = command.findIndex((word, index) => index > 0 && !word.startsWith('-') && !/^(?:dlx|exec|x)$/.test(word));
  const agent = at < 0 ? undefined : nameAt(at);
  return { agent, at: agent ? at : 0 };
}

function nameOf({ provider, model }: ModelRef): string {
  return `${provider.id}/${model}`;
}

/** Every name by which Claude Code asks for a model, so that its side calls go to the same one. */
function claudeModels(target: ModelRef | undefined): Record<string, string> {
  if (!target) return {};
  const names = ['MODEL', 'SMALL_FAST_MODEL', 'DEFAULT_OPUS_MODEL', 'DEFAULT_SONNET_MODEL', 'DEFAULT_HAIKU_MODEL'];
  return Object.fromEntries(names.map((name) => [`ANTHROPIC_${name}`, nameOf(target)]));
}

function override(key: string, toml: string): string[] {
  return ['-c', `${key}=${toml}`];
}

function openCodeConfig({ openai, anthropic, google }: VendorAddresses, target: ModelRef | undefined): object {
  const at = (baseURL: string) => ({ options: { baseURL } });
  if (!target)
    return { provider: { openai: at(openai), anthropic: at(`${anthropic}/v1`), google: at(`${google}/v1beta`) } };
  const { contextTokens: context = 200_000, maxOutputTokens: output = 32_000 } = modelInfo(
    target.provider,
    target.model,
  );
  const name = nameOf(target);
  return {
    model: `skein/${name}`,
    small_model: `skein/${name}`,
    provider: {
      skein: {
        npm: '@ai-sdk/openai',
        name: 'Skein',
        options: { baseURL: openai, apiKey: NO_KEY },
        models: { [name]: { name, reasoning: true, limit: { context, output } } },
      },
    },
  };
}

function piModels({ openai, anthropic, google }: VendorAddresses, target: ModelRef | undefined): object {
  if (!target)
    return {
      providers: {
        openai: { baseUrl: openai },
        anthropic: { baseUrl: anthropic },
        google: { baseUrl: `${google}/v1beta` },
      },
    };
  const { contextTokens = 200_000, maxOutputTokens = 32_000 } = modelInfo(target.provider, target.model);
  const model = {
    id: nameOf(target),
    name: nameOf(target),
    reasoning: true,
    input: ['text', 'image'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: contextTokens,
    maxTokens: maxOutputTokens,
  };
  // Its name for the protocol is ours.
  return { providers: { skein: { baseUrl: openai, apiKey: NO_KEY, api: openaiResponses.id, models: [model] } } };
}

/**
 * Makes a folder that shows another one by links, except for one JSON file, which has more in it. What the program adds or
 * replaces there is put into its own folder when it has ended.
 */
async function overlayFolder(own: string, folder: string, file: string, more: object): Promise<() => Promise<void>> {
  await mkdir(own, { recursive: true });
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(own))
    if (name !== file) await symlink(join(own, name), join(folder, name), 'junction');
  await writeJson(folder, file, merge(await readJson(join(own, file)), more));
  return async () => {
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.name !== file && !entry.isSymbolicLink())
        await cp(join(folder, entry.name), join(own, entry.name), { recursive: true, force: true });
  };
}

function hasFlag(args: readonly string[], ...names: readonly string[]): boolean {
  return args.some((arg) => names.some((name) => arg === name || arg.startsWith(`${name}=`)));
}

async function readJson(file: string): Promise<object> {
  return existsSync(file) ? parseObject(await readFile(file, 'utf8'), file) : {};
}

function parseObject(text: string, where: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The error below says what to do.
  }
  throw new CommandError(
    'invalid_configuration',
    `${where} is not a JSON object, so nothing can be added to it: mend it.`,
  );
}

async function writeJson(folder: string, name: string, value: object): Promise<void> {
  await writeFile(join(folder, name), JSON.stringify(value, undefined, 2), { mode: 0o600 });
}

/** Members of `over` replace those of `under`; objects are merged. */
function merge(under: object, over: object): object {
  const result: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const before = result[name];
    result[name] = isPlain(before) && isPlain(value) ? merge(before, value) : value;
  }
  return result;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
