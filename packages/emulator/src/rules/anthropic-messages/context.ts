/** Everything the rules look at, read once from the body. What has the wrong type is left out: the schema rules report it. */
import { isObject, type Json, objects } from '../../json.ts';
import type { JudgedRequest } from '../verdict.ts';
import { type Model, model } from './models.ts';
import { type Prefix, prefixes } from './prefix.ts';
import { hostedRequestBody, requestBody } from './schema-request.ts';
import type { Issue } from './shape.ts';
import { mergeTurns, type Placed, type Turn } from './turns.ts';

export interface Context {
  readonly request: JudgedRequest;
  readonly body: Json;
  readonly issues: readonly Issue[];
  readonly model: Model;
  readonly messages: readonly Json[];
  /** Merged turns, and the same without `role: "system"` messages: tool pairing looks past those. */
  readonly turns: readonly Turn[];
  readonly dialogue: readonly Turn[];
  readonly blocks: readonly Placed[];
  readonly system: readonly Json[];
  readonly tools: readonly Json[];
  readonly thinking: Json;
  readonly betas: readonly string[];
  /** Hashes the conversation on first use. */
  readonly prefix: (message: number, block: number) => Prefix;
}

/** From the header, and from the body where a host (Bedrock) wants them there. */
function betasOf({ headers }: JudgedRequest, { anthropic_beta: inBody }: Json): readonly string[] {
  const inHeader = (headers?.['anthropic-beta'] ?? '').split(',').map((beta) => beta.trim());
  return [...inHeader, ...(Array.isArray(inBody) ? inBody.map(String) : [])];
}

export function readContext(request: JudgedRequest, body: Json): Context {
  const messages = objects(body.messages);
  const turns = mergeTurns(messages);
  let lookUp: Context['prefix'] | undefined;
  const schema = request.model === undefined ? requestBody : hostedRequestBody;
  return {
    request,
    body,
    issues: schema(body, ''),
    model: model(typeof body.model === 'string' ? body.model : (request.model ?? '')),
    messages,
    turns,
    dialogue: turns.filter((turn) => turn.role !== 'system'),
    blocks: turns.flatMap((turn) => turn.blocks),
    system: objects(body.system),
    tools: objects(body.tools),
    thinking: isObject(body.thinking) ? body.thinking : {},
    betas: betasOf(request, body),
    prefix: (message, block) => {
      lookUp ??= prefixes(body);
      return lookUp(message, block);
    },
  };
}
