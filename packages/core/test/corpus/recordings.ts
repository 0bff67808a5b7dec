import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
// All dialects are known, those that the main entry leaves out, too.
import '../../src/dialect.ts';
import {
  isRecord,
  listAt,
  numberText,
  parseSource,
  printSource,
  type Source,
  type SourceObject,
} from './source-json.ts';

export const PROTOCOLS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generatecontent',
  'google-interactions',
] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** With those whose recordings are read in the folders of their dialects: all for which the properties must hold. */
export const ALL_PROTOCOLS = [...PROTOCOLS, 'bedrock-converse', 'cohere-chat'] as const;
export type AnyProtocol = (typeof ALL_PROTOCOLS)[number];

/** One recorded request and its response; exactly one of `response` and `sse` is there. */
export interface Exchange {
  readonly name: string;
  readonly protocol: AnyProtocol;
  readonly provider: string;
  readonly synthetic: boolean;
  readonly method: string | undefined;
  readonly path: string;
  readonly request: string | undefined;
  readonly response: string | undefined;
  readonly sse: string | undefined;
}

const FOLDER = process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../../shared/corpus', import.meta.url));

export const hasCorpus = existsSync(FOLDER);

/** Every exchange of a protocol that an API answered, recorded and synthetic; none where the corpus is absent. */
export function exchanges(protocol: AnyProtocol): readonly Exchange[] {
  return [join(FOLDER, protocol), join(FOLDER, 'synthetic', protocol)].flatMap((folder, index) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((file) => file.endsWith('.json'))
          .flatMap((file) => exchangesOf(file, readFileSync(join(folder, file), 'utf8'), protocol, index === 1))
      : [],
  );
}

/** A refusal that was recorded. */
export interface Refused {
  readonly name: string;
  readonly provider: string;
  readonly status: number;
  readonly body: string;
}

/** Every recorded response with a bad status; none where the corpus is absent. */
export function refusals(): readonly Refused[] {
  const folder = join(FOLDER, 'errors');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const recording = parseSource(readFileSync(join(folder, name), 'utf8'));
    const provider = stringOf(isRecord(recording) ? recording.provider : null) ?? '';
    return listAt(recording, 'turns')
      .filter(isRecord)
      .map((turn) => ({
        name,
        provider,
        status: Number(numberText(turn.status)),
        body: textOf(turn, 'response') ?? '',
      }))
      .filter(({ status }) => status >= 400);
  });
}

function exchangesOf(file: string, text: string, protocol: AnyProtocol, synthetic: boolean): Exchange[] {
  const recording = parseSource(text);
  const provider = stringOf(isRecord(recording) ? recording.provider : null) ?? '';
  return listAt(recording, 'turns')
    .filter(isRecord)
    .filter((turn) => numberText(turn.status) === '200')
    .map((turn, index) => ({
      name: `${file}#${index}`,
      protocol,
      provider,
      synthetic,
      method: stringOf(turn.method),
      path: stringOf(turn.path) ?? '',
      request: textOf(turn, 'request'),
      response: textOf(turn, 'response'),
      sse: stringOf(turn.sse),
    }));
}

/** The recorded text where there is one, otherwise the value with its numbers as they were written. */
function textOf(turn: SourceObject, name: 'request' | 'response'): string | undefined {
  const value = turn[name];
  return stringOf(turn[`${name}Text`]) ?? (value === undefined || value === null ? undefined : printSource(value));
}

function stringOf(value: Source | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
