import type { LossNote } from '../loss.ts';
import type { FunctionTool, ToolDefinition } from '../request.ts';
import { dropped } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import type { Target } from '../write/writer.ts';
import { functionName } from './write-parts.ts';

/** All functions in one tool, then the tools that are given in Google's own words. */
export function toolsText(tools: readonly ToolDefinition[], target: Target, losses: LossNote[]): string | undefined {
  const declarations: string[] = [];
  const others: string[] = [];
  tools.forEach((tool, index) => {
    const path = `tools[${index}]`;
    if (!('native' in tool)) declarations.push(declaration(tool, path, target, losses));
    else if (tool.dialect === target.provider.dialect) others.push(tool.native);
    else losses.push(dropped(path, 'server-tool', `a tool in the words of ${tool.dialect} cannot be offered here`));
  });
  if (declarations.length > 0) others.unshift(`{"functionDeclarations":[${declarations.join(',')}]}`);
  return others.length > 0 ? `[${others.join(',')}]` : undefined;
}

/** `parametersJsonSchema` takes any JSON Schema; `parameters` takes only Google's own subset. */
function declaration(tool: FunctionTool, path: string, target: Target, losses: LossNote[]): string {
  const name = functionName(tool.name, target.provider.policies, `${path}.name`, losses);
  const about = tool.description === undefined ? '' : `,"description":${stringText(tool.description, path, losses)}`;
  const schema = typeof tool.parameters === 'string' ? tool.parameters : JSON.stringify(tool.parameters);
  return `{"name":${JSON.stringify(name)}${about},"parametersJsonSchema":${schema}}`;
}
