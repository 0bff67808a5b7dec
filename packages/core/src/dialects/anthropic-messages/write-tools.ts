import { addMember, isObject, parseJson, skipSpace, splice } from '../../json/index.ts';
import type { LossNote } from '../loss.ts';
import type { FunctionTool } from '../request.ts';
import { rewritten } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import { targetToolName } from '../write/tool-names.ts';
import type { Target } from '../write/writer.ts';

export function toolText(tool: FunctionTool, target: Target, path: string, losses: LossNote[]): string {
  const name = JSON.stringify(targetToolName(tool.name, target.provider.policies, path, losses));
  const description =
    tool.description === undefined ? '' : `,"description":${stringText(tool.description, path, losses)}`;
  return `{"name":${name}${description},"input_schema":${schemaText(tool.parameters, path, losses)}}`;
}

/** The schema as it was given; one that does not say so is told to be of an object (`tool-schema`). */
function schemaText(parameters: FunctionTool['parameters'], path: string, losses: LossNote[]): string {
  const text = typeof parameters === 'string' ? parameters.trim() : JSON.stringify(parameters);
  const value = typeof parameters === 'string' ? parseJson(parameters) : parameters;
  if (!isObject(value) || value.type !== undefined) return text;
  losses.push(rewritten(`${path}.parameters`, 'parameter', 'the schema lacks "type"; it is sent with "object"'));
  return splice(text, [addMember(text, skipSpace(text, 0), 'type', '"object"')]);
}
