import { randomUUID } from 'node:crypto';
import { parseModel } from '@skein/core';
import { type ForestContext, makeRef, readRefs } from '../forest/index.ts';
import type { Clock } from '../model/clock.ts';
import type { EntryRecord } from '../model/records.ts';
import type { Store } from '../store/index.ts';
import {
  EngineError,
  type GenerateOptions,
  type Generation,
  type GenerationState,
  type ResumeOptions,
} from './types.ts';

/** Makes the stored record of a generation. It is found by its id, and below its node in the order of starting. */
export function generationRecord(state: GenerationState, clock: Clock): EntryRecord {
  const { id, node, ...data } = state;
  return { k: 'generation', id, of: node, order: toOrder(state), clock: clock.tick(), data };
}

function toOrder({ startedAt, id }: GenerationState): string {
  return `${startedAt.toString(36).padStart(9, '0')}-${id}`;
}

export function toGenerationState({ id, of, data }: EntryRecord): GenerationState {
  return { ...(data as unknown as Omit<GenerationState, 'id' | 'node'>), id, node: of };
}

/** Reads a generation. One whose process died will never end, and is returned as aborted if an answer is missing. */
export async function readGeneration(store: Store, id: string): Promise<GenerationState> {
  const entry = await store.entry('generation', id);
  if (!entry) throw new EngineError('unknown_generation', id, `There is no generation ${id} in this forest.`);
  return withLiveStatus(store, toGenerationState(entry));
}

export async function withLiveStatus(store: Store, state: GenerationState): Promise<GenerationState> {
  if (state.status !== 'running' || (await isRunning(store, state))) return state;
  const branches = state.branches.map((branch) =>
    branch.status === 'running' ? { ...branch, status: 'aborted' as const } : branch,
  );
  // Its process may have died after the last answer, before it said so.
  return { ...state, status: branches.every(({ status }) => status === 'done') ? 'done' : 'aborted', branches };
}

/** A generation of this process that is not registered has ended, although its end could not be stored. */
async function isRunning(store: Store, { owner, id }: GenerationState): Promise<boolean> {
  if (!(await store.isAlive(owner))) return false;
  return owner !== store.writer || findRunning(store, id) !== undefined;
}

/** Makes the state of a new generation. */
export function newGeneration(
  { store, clock }: ForestContext,
  node: string,
  options: GenerateOptions,
): GenerationState {
  const { n = 1, model, params, tools = [], label, thread } = options;
  if (!Number.isInteger(n) || n < 1) throw new TypeError(`"n" is the number of branches, 1 or more; it is ${n}.`);
  return {
    id: randomUUID().replaceAll('-', '').slice(0, 16),
    node,
    status: 'running',
    branches: Array.from({ length: n }, () => ({ head: node, status: 'running' })),
    model: toModelName(model),
    params,
    tools: tools.map((tool) => ('name' in tool ? tool.name : tool.dialect)),
    ...(label !== undefined && { label }),
    ...(thread !== undefined && { thread }),
    owner: store.writer,
    startedAt: clock.now(),
  };
}

export const FOREST_OPTIONS = ['messages', 'system', 'checkpoints', 'previous', 'outgoing'];

/** Refuses options of `run` that the forest provides: the tree would not contain what was sent. */
export function refuseForestOptions(options: object, names: readonly string[]): void {
  const given = new Map(Object.entries(options));
  const foreign = names.find((name) => given.get(name) !== undefined);
  if (foreign === undefined) return;
  const instead = foreign === 'system' ? 'append system(…) as the first message' : 'the forest provides it';
  throw new TypeError(`A generation takes no "${foreign}": ${instead}.`);
}

export function toModelName(model: GenerateOptions['model'] | undefined): string {
  if (model === undefined) throw new TypeError('"model" is missing: give one, such as "anthropic/claude-sonnet-5".');
  if (typeof model !== 'string') return `${model.provider.id}/${model.model}`;
  // Throws here once, instead of in every branch.
  parseModel(model);
  return model;
}

/** Generations with the same key are duplicates. The thread is part of it: two people may ask the same at the same time. */
export function toRequestKey({ model, params, tools, branches, label, thread }: GenerationState): string {
  return JSON.stringify([model, params ?? {}, tools, branches.length, label ?? '', thread ?? '']);
}

/** Decides which branches continue, and with which options. Refuses when tools or model of the start are missing. */
export function planResume(
  { id, status, branches, model, params, tools }: GenerationState,
  given: ResumeOptions,
): { readonly grow: readonly number[]; readonly options: GenerateOptions & Pick<ResumeOptions, 'approvals'> } {
  if (status === 'running') throw new EngineError('generation_running', id, `Generation ${id} is still running.`);
  const grow = branches.flatMap((branch, index) => (branch.status === 'done' ? [] : [index]));
  if (grow.length === 0)
    throw new EngineError('nothing_to_resume', id, `Generation ${id} is done: every branch has its answer.`);
  if (tools.length > 0 && given.tools === undefined)
    throw new EngineError(
      'tools_needed',
      id,
      `Generation ${id} was started with tools (${tools.join(', ')}): give them again as "tools", or [] to continue without.`,
    );
  if (given.model === undefined && !isKnown(model))
    throw new EngineError(
      'model_needed',
      id,
      `Generation ${id} used ${model}, which is not a model of a known provider: give it again as "model".`,
    );
  const own = params !== undefined && given.params === undefined ? { params } : {};
  return { grow, options: { ...given, ...own, model: given.model ?? model } };
}

function isKnown(model: string): boolean {
  try {
    parseModel(model);
    return true;
  } catch {
    return false;
  }
}

/** The running generations of an engine, to end them together. */
interface Parking {
  /** Starts a generation. Throws once the engine is parked. */
  start(begin: () => Promise<Generation>): Promise<Generation>;
  /** Stops those that run then, and resolves when all have ended, those that are just starting as well. */
  park(withinMs: number): Promise<void>;
}

export function createParking(): Parking {
  const starting = new Set<Promise<Generation>>();
  const running = new Set<Generation>();
  let isParked = false;
  const add = (generation: Generation) => {
    running.add(generation);
    void generation.result.catch(() => undefined).then(() => running.delete(generation));
    if (isParked) generation.stop();
  };
  return {
    async start(begin) {
      if (isParked)
        throw new EngineError(
          'engine_parked',
          '',
          'This engine starts no more generations: its process is about to end.',
        );
      const begun = begin();
      starting.add(begun);
      try {
        const generation = await begun;
        add(generation);
        return generation;
      } finally {
        starting.delete(begun);
      }
    },
    async park(withinMs) {
      isParked = true;
      const timer = setTimeout(() => {
        for (const generation of running) generation.stop();
      }, withinMs);
      while (starting.size + running.size > 0)
        await Promise.allSettled([...starting, ...[...running].map(({ result }) => result)]);
      clearTimeout(timer);
    },
  };
}

/** Asks the process that runs a generation to stop it, or withdraws that request. */
export async function writeStopRequest(context: ForestContext, id: string, value: boolean): Promise<void> {
  await readRefs(context, 'forest', [id], ['stop']);
  await context.store.append([makeRef(context, 'forest', id, 'stop', value)]);
}

/** Aborts when another process asks for a stop. It reads one at a time, however often the store calls. */
export function watchStopRequest(store: Store, id: string, aborting: AbortController): () => void {
  let looking: Promise<void> | undefined;
  let again = false;
  const look = async () => {
    const { items } = await store.refs({ on: 'forest', keys: [id], names: ['stop'] });
    if (items[0]?.value === true) aborting.abort();
  };
  const wake = () => {
    again = looking !== undefined;
    looking ??= look()
      .catch(() => undefined)
      .then(() => {
        looking = undefined;
        if (again) wake();
      });
  };
  wake();
  return store.watch(wake);
}

/** The generations that this process runs, by writer and id: several engines may share a store. */
const running = new Map<string, AbortController>();

export function registerRunning({ writer }: Store, generation: string, aborting: AbortController): () => void {
  const key = `${writer}/${generation}`;
  running.set(key, aborting);
  return () => running.delete(key);
}

export function findRunning({ writer }: Store, generation: string): AbortController | undefined {
  return running.get(`${writer}/${generation}`);
}

/** The ref under which every writer lists what it is about to start. */
const CLAIMS = { on: 'forest', key: 'engine' } as const;
/** Starting takes a few writes; a writer that takes longer is stuck. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;
/** Only the newest claims are read: a claim is held for moments, and old ones belong to dead writers. */
const MOST_WRITERS = 1000;

/** The claims of each writer of this process. */
const claimed = new Map<string, Set<string>>();

/**
 * Runs work under a name that only one process holds at a time: checking whether something runs and starting it are then
 * one step. A writer writes its claim before it reads those of others, so of two at least one sees the other, and whoever
 * sees a claim does not work. Of those who wait, the writer with the first name keeps its claim; the others release theirs.
 */
export function withClaim<T>(context: ForestContext, name: string, work: () => Promise<T>): Promise<T> {
  const { store } = context;
  return inQueue(store, name, async () => {
    const until = performance.now() + PATIENCE_MS;
    try {
      for (;;) {
        await claim(context, name);
        let others = await readOtherClaims(context, name);
        if (others.length === 0) return await work();
        while (others.length > 0) {
          if (performance.now() > until) throw stuck(name);
          if (others.some((other) => other < store.writer)) await releaseClaim(context, name);
          await pause();
          others = await readOtherClaims(context, name);
        }
      }
    } finally {
      await releaseClaim(context, name).catch(() => undefined);
    }
  });
}

/** Reads the other living writers that claim this name. */
async function readOtherClaims({ store }: ForestContext, name: string): Promise<string[]> {
  // Makes the store read what others have written.
  await store.changes();
  const { items } = await store.refs({ on: CLAIMS.on, keys: [CLAIMS.key], order: 'newest', limit: MOST_WRITERS });
  const others = items
    .filter(({ name: writer, value }) => writer !== store.writer && Array.isArray(value) && value.includes(name))
    .map(({ name: writer }) => writer);
  const alive = await Promise.all(others.map((writer) => store.isAlive(writer)));
  return others.filter((_, index) => alive[index]);
}

async function claim(context: ForestContext, name: string): Promise<void> {
  const { writer } = context.store;
  const ours = claimed.get(writer) ?? new Set();
  claimed.set(writer, ours.add(name));
  await writeClaims(context, ours);
}

async function releaseClaim(context: ForestContext, name: string): Promise<void> {
  const { writer } = context.store;
  const ours = claimed.get(writer);
  if (!ours?.delete(name)) return;
  if (ours.size === 0) claimed.delete(writer);
  await writeClaims(context, ours);
}

async function writeClaims(context: ForestContext, ours: ReadonlySet<string>): Promise<void> {
  const value = ours.size === 0 ? null : [...ours];
  await context.store.append([makeRef(context, CLAIMS.on, CLAIMS.key, context.store.writer, value)]);
}

function stuck(name: string): EngineError {
  return new EngineError(
    'generation_running',
    name,
    'Another process has been starting a generation here for ten seconds: try again.',
  );
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** The last piece of work in each queue of this process, by writer and name. */
const queues = new Map<string, Promise<unknown>>();

/** Work of this process under one name runs one after the other. */
function inQueue<T>({ writer }: Store, name: string, work: () => Promise<T>): Promise<T> {
  const key = `${writer}/${name}`;
  const result = (queues.get(key) ?? Promise.resolve()).then(work);
  const settled = result
    .catch(() => undefined)
    .then(() => {
      if (queues.get(key) === settled) queues.delete(key);
    });
  queues.set(key, settled);
  return result;
}
