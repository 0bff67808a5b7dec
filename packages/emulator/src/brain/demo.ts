/**
 * A model for running without keys. It understands nothing: it picks words out of the request and fills in templates,
 * and says so. The same request gives the same answer; sent again, it gives the next variant.
 */
import { stringify } from '../json.ts';
import type { MessageReply, ReplyBlock } from '../reply/reply.ts';
import { argumentsFor, valueOfSchema } from './arguments.ts';
import type { Brain, BrainRequest, OfferedTool } from './brain.ts';
import { createChance } from './chance.ts';
import { demoAnswer } from './demo-text.ts';
import { fittingTool } from './fitting-tool.ts';

/** Two tokens every 40 ms are 50 tokens a second. */
const speed = { pieces: 8, chunkDelay: 40, delay: 300 };

const shorten = (text: string, length = 60): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length).trimEnd()}…` : line;
};

function thoughts({ text, results, tools }: BrainRequest, tool: OfferedTool | undefined): string {
  const asked = text.trim() === '' ? 'There is no text to answer.' : `The user says: “${shorten(text)}”.`;
  if (tool) return `${asked}\nThe tool \`${tool.name}\` fits, so I call it before I answer.`;
  if (results.length > 0) return `${asked}\nThe tools have answered; I quote what they said.`;
  return `${asked}\n${tools.length > 0 ? 'None of the tools fits.' : 'There are no tools.'} I answer from a template.`;
}

export const demoBrain: Brain = (request): MessageReply => {
  const { body, attempt, text, results, format } = request;
  const chance = createChance(stringify(body), attempt);
  const tool = results.length === 0 ? fittingTool(request) : undefined;
  const thinking: readonly ReplyBlock[] = request.thinking ? [{ type: 'thinking', text: thoughts(request, tool) }] : [];
  const reply = (...blocks: readonly ReplyBlock[]): MessageReply => ({ ...speed, blocks: [...thinking, ...blocks] });
  if (tool) return reply({ type: 'tool-use', name: tool.name, input: argumentsFor(tool.schema, text, chance) });
  // An answer that must follow a schema has no room for words of its own.
  if (format) return reply({ type: 'text', text: stringify(valueOfSchema(format, text, chance)) });
  return reply({ type: 'text', text: demoAnswer({ topic: shorten(text), results, chance }) });
};
