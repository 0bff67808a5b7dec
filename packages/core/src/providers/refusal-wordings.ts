import { isObject } from '../json/index.ts';

/** A field as an error names it: `messages.1.content.0.foo` as its steps. */
export interface Mentioned {
  readonly steps: readonly string[];
}

/** The ways in which APIs say that they do not know a field; each gives the path, and the name where that stands apart. */
const WORDINGS: readonly RegExp[] = [
  // Anthropic: `messages.1.content.0.tool_use.foo: Extra inputs are not permitted`
  /(?<path>[\w.-]+): Extra inputs are not permitted/g,
  // OpenAI: `Unknown parameter: 'input[1].foo'.`
  /Unknown parameter: '(?<path>[^']+)'/g,
  // Google: `Unknown name "foo" at 'contents[0].parts[0]': Cannot find field.`
  /Unknown name "(?<name>[^"]+)" at '(?<path>[^']+)': Cannot find field/g,
  // Cerebras: `property 'messages.2.assistant.foo' is unsupported`; Groq: `'messages.2' : property 'foo' is unsupported`
  /'(?<path>messages\.\d+)' : property '(?<name>\w+)' is unsupported/g,
  /property '(?<path>messages\.\d+\.[\w.]+)' is unsupported/g,
  // Groq, for models that do not reason: `messages[1].reasoning: reasoning is not supported with this model`
  /(?<path>messages\[\d+\]\.\w+): \w+ is not supported with this model/g,
];

export function mentionedFields(errorText: string): readonly Mentioned[] {
  const value = parse(errorText);
  const texts = value === undefined ? [errorText] : [...stringsIn(value)];
  const worded = texts.flatMap((text) =>
    WORDINGS.flatMap((wording) =>
      [...text.matchAll(wording)].map(({ groups }) => ({
        steps: [...stepsOf(groups?.path ?? ''), ...(groups?.name === undefined ? [] : [groups.name])],
      })),
    ),
  );
  return [...worded, ...locatedFields(value)];
}

/** Mistral and other FastAPI servers: `{"type":"extra_forbidden","loc":["body","messages",1,"assistant","foo"]}`. */
function locatedFields(value: unknown): readonly Mentioned[] {
  if (Array.isArray(value)) return value.flatMap(locatedFields);
  if (!isObject(value)) return [];
  if (value.type !== 'extra_forbidden' || !Array.isArray(value.loc)) return Object.values(value).flatMap(locatedFields);
  const steps = value.loc.map(String);
  return [{ steps: steps[0] === 'body' ? steps.slice(1) : steps }];
}

function stepsOf(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((step) => step !== '');
}

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* stringsIn(inner);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
