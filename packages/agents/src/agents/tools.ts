import { relative, resolve } from 'node:path';
import type { Tool } from '@skein/core';
import type { Config } from '../config/types.ts';
import type { KeyPath } from '../files/document.ts';
import { importModule } from '../files/import-module.ts';
import { isRecord, type Report, suggestKnown } from '../files/shape.ts';
import { errorMessage } from '../mcp/connection.ts';
import type { ForestView } from '../tools/forest.ts';
import { BUILT_IN, type BuiltInContext, builtInTool } from './builtin-tools.ts';

/** `mcp:github` is all tools of a server, `mcp:github/create_issue` one of them. */
export interface McpRef {
  readonly server: string;
  readonly tool: string | undefined;
}

interface AgentTools {
  readonly tools: readonly Tool[];
  readonly mcp: readonly McpRef[];
}

interface ToolContext extends BuiltInContext {
  readonly servers: readonly string[];
  /** In files of Synapse: the Python class whose methods are listed as tools. */
  readonly className: string | undefined;
  readonly report: Report;
}

/** Resolves the tools of an agent: built-in ones by name, modules by path, MCP servers by `mcp:`. */
export async function listedTools(names: readonly string[], listing: ToolContext): Promise<AgentTools> {
  const tools: Tool[] = [];
  const mcp: McpRef[] = [];
  for (const [index, name] of names.entries()) {
    const path: KeyPath = ['tools', index];
    if (name.startsWith('mcp:')) mcp.push(...mcpRef(name, path, listing));
    else if (/^\.{0,2}[\\/]|^[A-Za-z]:[\\/]/.test(name)) tools.push(...(await moduleTools(name, path, listing)));
    else tools.push(...namedTool(name, path, listing));
  }
  const own = tools.map((tool) => tool.name);
  const twice = own.find((name, index) => own.indexOf(name) !== index);
  if (twice !== undefined)
    listing.report(['tools'], 'duplicate', `Two tools are named "${twice}".`, 'Rename one, or list only one of them.');
  return { tools, mcp };
}

/**
 * Resolves tools by their names outside of an agent file: built-in ones, and modules such as `./tools.mjs` or
 * `./tools.mjs#add_task`. The built-in tools for files read the folder.
 *
 * @example
 * const { tools, problems } = await findTools(['current_time', './tools.mjs'], { config, forest });
 */
export async function findTools(
  names: readonly string[],
  { config, forest, folder = process.cwd() }: ToolSearch,
): Promise<{ readonly tools: readonly Tool[]; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const report: Report = (_path, _code, message, fix) => problems.push(`${message} ${fix}`);
  const listing = { config, forest, folder, files: '.', servers: [], className: undefined, report };
  const { tools } = await listedTools(names, listing);
  return { tools, problems };
}

/** Where `findTools` looks for tools. */
export interface ToolSearch {
  readonly config: Pick<Config, 'fetch'>;
  readonly forest?: ForestView | undefined;
  /** Relative paths start here; default: the working folder. */
  readonly folder?: string;
}

function namedTool(name: string, path: KeyPath, listing: ToolContext): Tool[] {
  if (!(BUILT_IN as readonly string[]).includes(name)) {
    const { className, report } = listing;
    if (className === undefined) {
      const fix = `${suggestKnown(name, BUILT_IN)} A tool of your own is listed by its file, such as "./my-tools.ts".`;
      report(path, 'unknown-tool', `There is no tool "${name}".`, fix);
    } else {
      const message = `"${name}" is a method of the class ${className}, and methods in Python do not carry over.`;
      const fix = `Write it as tool({ … }) in a module and list that, such as "./tools.ts", or an MCP server as "mcp:<name>", or remove it. Built in: ${BUILT_IN.join(', ')}.`;
      report(path, 'unknown-tool', message, fix);
    }
    return [];
  }
  const tool = builtInTool(name, path, listing, listing.report);
  return tool ? [tool] : [];
}

function mcpRef(name: string, path: KeyPath, { servers, report }: ToolContext): McpRef[] {
  const [, server = '', tool] = /^mcp:([^/]*)(?:\/(.+))?$/.exec(name) ?? [];
  if (servers.includes(server)) return [{ server, tool }];
  const fix = `${servers.length > 0 ? suggestKnown(server, servers) : 'None is configured.'} Add it below "mcp" in skein.config.yaml, or in this file.`;
  report(path, 'unknown-server', `There is no MCP server "${server}".`, fix);
  return [];
}

/** `./tools.ts` is all tools that a module exports, `./tools.ts#add_task` one of them. */
async function moduleTools(name: string, path: KeyPath, { folder, report }: ToolContext): Promise<readonly Tool[]> {
  const [, place = name, wanted] = /^(.*?)(?:#([^#]*))?$/s.exec(name) ?? [];
  const file = resolve(folder, place);
  try {
    const tools = await toolsInModule(file);
    const chosen = wanted === undefined ? tools : tools.filter((tool) => tool.name === wanted);
    if (chosen.length > 0) return chosen;
    const known = tools.map((tool) => tool.name);
    if (tools.length === 0) report(path, 'tool-module', `${place} exports no tools.`, 'Export what tool({ … }) gives.');
    else report(path, 'unknown-tool', `${place} has no tool "${wanted}".`, suggestKnown(wanted ?? '', known));
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error && error.path === file;
    if (isMissing)
      report(
        path,
        'tool-module',
        `There is no file ${place}.`,
        `It would be ${relative(process.cwd(), file)}; mend the path or add the file.`,
      );
    else
      report(
        path,
        'tool-module',
        `${place} could not be loaded: ${errorMessage(error)}.`,
        'Mend the module; it has to load without an error.',
      );
  }
  return [];
}

/**
 * The tools that a module exports, under any name, single or in arrays.
 *
 * @example
 * const tools = await toolsInModule('/home/me/project/tools.js');
 */
export async function toolsInModule(file: string, limitMs?: number): Promise<readonly Tool[]> {
  const module = await importModule(file, limitMs);
  // Sorted by name: the order is part of every request, so it must not change.
  const exported = isRecord(module)
    ? Object.keys(module)
        .sort()
        .map((name) => module[name])
    : [];
  // A tool that is exported under two names counts once.
  return [...new Set(exported.flatMap((value: unknown) => (Array.isArray(value) ? value : [value])).filter(isTool))];
}

function isTool(value: unknown): value is Tool {
  if (!isRecord(value)) return false;
  const { name, parameters, check, execute, needsApproval } = value;
  const areFunctions = [check, execute, needsApproval].every((one) => typeof one === 'function');
  return typeof name === 'string' && isRecord(parameters) && areFunctions;
}
