import { resolve } from 'node:path';
import { type Tool, tool } from '@skein/core';
import type { Config } from '../config/types.ts';
import type { KeyPath } from '../files/document.ts';
import type { Report } from '../files/shape.ts';
import { fetchTool } from '../tools/fetch.ts';
import { fileTools } from '../tools/files.ts';
import { type ForestView, forestTools } from '../tools/forest.ts';

export interface BuiltInContext {
  readonly config: Pick<Config, 'fetch'>;
  readonly forest: ForestView | undefined;
  /** The agent's `files`, and the folder that it is relative to. */
  readonly files: string | undefined;
  readonly folder: string;
}

/** Every tool that comes with Skein. None of them runs commands or changes anything. */
export const BUILT_IN = [
  'current_time',
  'read_file',
  'list_files',
  'search_files',
  'fetch_url',
  'search_forest',
  'read_branch',
] as const;

/** The built-in tool with this name, if its requirements are met. */
export function builtInTool(name: string, path: KeyPath, context: BuiltInContext, report: Report): Tool | undefined {
  const { config, forest, files, folder } = context;
  const needs = (message: string, fix: string): undefined => {
    report(path, 'missing-key', message, fix);
  };
  const named = (tools: readonly Tool[]) => tools.find((tool) => tool.name === name);
  switch (name) {
    case 'current_time':
      return currentTime() as Tool;
    case 'fetch_url':
      if (config.fetch) return fetchTool(config.fetch);
      return needs('fetch_url is off.', 'Write "fetch: { enabled: true }" into skein.config.yaml.');
    case 'read_file':
    case 'list_files':
    case 'search_files':
      if (files !== undefined) return named(fileTools(resolve(folder, files)));
      return needs(`${name} needs a folder, and reads nothing outside of it.`, 'Add "files: ./<folder>" to the agent.');
    default:
      if (forest) return named(forestTools(forest));
      return needs(`${name} needs a forest, and there is none here.`, 'Give "forest" where the agents are loaded.');
  }
}

/** The current time for a model. `now` replaces the clock in tests. */
export const currentTime = (now: () => Date = () => new Date()) =>
  tool({
    name: 'current_time',
    description: 'Tells the current date and time in UTC and in the local time zone.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    execute: () => {
      const date = now();
      return { utc: date.toISOString(), local: date.toString() };
    },
  });
