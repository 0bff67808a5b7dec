import type { NativeTool, ToolDefinition } from '../../dialects/index.ts';
import { targetToolName } from '../../dialects/write/tool-calls.ts';
import { isObject } from '../../json/index.ts';
import type { Target } from '../context.ts';
import type { Tool } from './tool.ts';

/** The targets for which the names of tools may have been changed. */
export type ToolTargets = readonly Pick<Target, 'provider'>[];

/** The tools of a run: as they are told to a model, and found again by the name that it calls. */
export class ToolSet {
  readonly #all: readonly (Tool | NativeTool)[];
  readonly #tools: readonly Tool[];

  constructor(tools: readonly (Tool | NativeTool)[]) {
    const wrong = tools.findIndex((tool) => !isTool(tool) && !isNative(tool));
    if (wrong >= 0) throw new TypeError(`tools[${wrong}] is not a tool; make it with tool({ name, input, execute })`);
    this.#all = tools;
    this.#tools = tools.filter(isTool);
    const names = this.#tools.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new TypeError(`Two tools are named "${twice}"`);
  }

  get names(): readonly string[] {
    return this.#tools.map(({ name }) => name);
  }

  definitions(dialect: string): readonly ToolDefinition[] {
    return this.#all.map((tool) => {
      if (!isTool(tool)) return tool;
      const { name, description, parameters, native } = tool;
      return (
        native.find((words) => words.dialect === dialect) ?? {
          name,
          ...(description !== undefined && { description }),
          parameters,
        }
      );
    });
  }

  /** By its own name, or by the one that it had to be given for one of these targets. */
  find(name: string, targets: ToolTargets): Tool | undefined {
    return (
      this.#tools.find((tool) => tool.name === name) ??
      this.#tools.find((tool) =>
        targets.some(({ provider }) => targetToolName(tool.name, provider.policies, '', []) === name),
      )
    );
  }

  /** The name that a tool has here, whatever the model was told. */
  ownName(name: string, targets: ToolTargets): string {
    return this.find(name, targets)?.name ?? name;
  }
}

function isTool(tool: Tool | NativeTool): tool is Tool {
  return isObject(tool) && typeof tool.execute === 'function' && typeof tool.check === 'function';
}

function isNative(tool: unknown): boolean {
  return isObject(tool) && typeof tool.dialect === 'string' && typeof tool.native === 'string';
}
