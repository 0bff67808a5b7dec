import type { LossNote } from '../loss.ts';
import type { ToolDefinition } from '../request.ts';
import { dropped } from './notes.ts';
import { stringText } from './text.ts';
import { targetToolName } from './tool-names.ts';
import type { Target } from './writer.ts';

/** A function tool in JSON texts: `members` are `"name":…` and, where there is one, `"description":…`. */
export interface ToolTexts {
  readonly members: string;
  readonly parameters: string;
  readonly path: string;
}

/** The tools as the target takes them: functions in its form, its own tools in their own words, others not at all. */
export function toolTexts(
  tools: readonly ToolDefinition[],
  target: Target,
  losses: LossNote[],
  form: (tool: ToolTexts) => string,
): string[] {
  return tools.flatMap((tool, index) => {
    const path = `tools[${index}]`;
    if ('native' in tool) {
      if (tool.dialect === target.provider.dialect) return [tool.native.trim()];
      losses.push(dropped(path, 'server-tool'));
      return [];
    }
    const name = targetToolName(tool.name, target.provider.policies, path, losses);
    const description =
      tool.description === undefined ? '' : `,"description":${stringText(tool.description, path, losses)}`;
    const parameters = typeof tool.parameters === 'string' ? tool.parameters.trim() : JSON.stringify(tool.parameters);
    return [form({ members: `"name":${JSON.stringify(name)}${description}`, parameters, path })];
  });
}
