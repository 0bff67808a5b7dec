import { isObject, isText, type JsonObject } from '../../json/index.ts';
import { readQuirk } from '../provider.ts';
import { type MemberValue, otherMembers, type ReplacementTool, type RequestMeaning } from '../request-meaning.ts';
import { field, stringField } from './parts.ts';

const CONFIG = 'generationConfig';

/** The members of a request of generateContent. */
export const meaning: RequestMeaning = {
  params: {
    maxTokens: `${CONFIG}.maxOutputTokens`,
    temperature: `${CONFIG}.temperature`,
    topP: `${CONFIG}.topP`,
    stop: `${CONFIG}.stopSequences`,
    seed: `${CONFIG}.seed`,
    toolChoice: 'toolConfig',
    reasoning: `${CONFIG}.thinkingConfig`,
  },
  members: {
    cachedContent: { otherwise: 'refused' },
    labels: { otherwise: 'reported', idle: [{}] },
    modelArmorConfig: { otherwise: 'reported' },
    safetySettings: { otherwise: 'reported', idle: [[]] },
    serviceTier: {
      setting: 'service-tier',
      words: [
        ['standard', 'standard'],
        ['flex', 'flex'],
        ['priority', 'priority'],
      ],
      otherwise: 'reported',
      idle: ['unspecified'],
    },
    store: { otherwise: 'reported', idle: [false] },
    toolConfig: { read: readToolConfig, otherwise: 'refused' },
    continuationToken: { otherwise: 'refused' },
    automaticContinuation: { otherwise: 'reported', idle: [false] },
    [`${CONFIG}.audioTimestamp`]: { otherwise: 'reported', idle: [false] },
    [`${CONFIG}.audioTranscriptionConfig`]: { otherwise: 'reported' },
    [`${CONFIG}.candidateCount`]: { read: readCount, otherwise: 'refused' },
    [`${CONFIG}.enableAffectiveDialog`]: { otherwise: 'reported', idle: [false] },
    [`${CONFIG}.enableEnhancedCivicAnswers`]: { otherwise: 'reported', idle: [false] },
    [`${CONFIG}.frequencyPenalty`]: { setting: 'frequency-penalty', otherwise: 'reported', idle: [0] },
    [`${CONFIG}.imageConfig`]: { otherwise: 'reported' },
    [`${CONFIG}.logprobs`]: { otherwise: 'refused' },
    [`${CONFIG}.mediaResolution`]: { setting: 'media-resolution', otherwise: 'reported' },
    [`${CONFIG}.modelSelectionConfig`]: { otherwise: 'reported' },
    [`${CONFIG}.presencePenalty`]: { setting: 'presence-penalty', otherwise: 'reported', idle: [0] },
    [`${CONFIG}.responseFormat`]: { otherwise: 'refused' },
    [`${CONFIG}.responseJsonSchema`]: { read: readSchema, otherwise: 'refused' },
    [`${CONFIG}.responseLogprobs`]: { otherwise: 'refused', idle: [false] },
    [`${CONFIG}.responseMimeType`]: { read: readMimeType, otherwise: 'refused' },
    [`${CONFIG}.responseModalities`]: { read: readModalities, otherwise: 'refused' },
    [`${CONFIG}.responseSchema`]: { read: (value) => readSchema(toJsonSchema(value)), otherwise: 'refused' },
    [`${CONFIG}.routingConfig`]: { otherwise: 'reported' },
    [`${CONFIG}.seed`]: { otherwise: 'reported' },
    [`${CONFIG}.speechConfig`]: { otherwise: 'reported' },
    [`${CONFIG}.thinkingConfig`]: { read: readThinking, otherwise: 'reported' },
    [`${CONFIG}.thinkingConfig.includeThoughts`]: {
      setting: 'thoughts',
      words: [
        [true, 'shown'],
        [false, 'hidden'],
      ],
      otherwise: 'reported',
    },
    [`${CONFIG}.topK`]: { setting: 'top-k', otherwise: 'reported' },
    [`${CONFIG}.translationConfig`]: { otherwise: 'reported' },
  },
  spell: (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  reasoning(target) {
    const hasLevels = readQuirk(target, 'thinkingLevels', true) === true;
    return { efforts: hasLevels ? ['minimal', 'low', 'medium', 'high'] : [], takesBudget: !hasLevels };
  },
  stops: () => ({ most: 5 }),
  jsonObject: { [CONFIG]: { responseMimeType: 'application/json' } },
  readClientTool,
  readServerTool(tool) {
    if (field(tool, 'googleSearch') ?? field(tool, 'googleSearchRetrieval')) return 'web-search';
    if (field(tool, 'urlContext')) return 'web-fetch';
    return field(tool, 'codeExecution') ? 'code-execution' : undefined;
  },
  // Functions and Google's own tools exclude each other for most models.
  writeServerTool(kind, _, hasFunctions) {
    if (hasFunctions) return undefined;
    if (kind === 'web-search') return { googleSearch: {} };
    if (kind === 'web-fetch') return { urlContext: {} };
    return kind === 'code-execution' ? { codeExecution: {} } : undefined;
  },
};

/** The API gives at most eight candidates. */
const MOST_CANDIDATES = 8;

function readCount(copies: unknown): MemberValue | undefined {
  const isCount = typeof copies === 'number' && Number.isInteger(copies) && copies > 0 && copies <= MOST_CANDIDATES;
  return isCount ? { copies } : undefined;
}

function readSchema(schema: unknown): MemberValue | undefined {
  return isObject(schema) ? { output: { schema } } : undefined;
}

/** Text is what every model gives; a JSON type without a schema means any JSON object. */
function readMimeType(type: unknown): MemberValue | undefined {
  if (type === 'text/plain') return {};
  return type === 'application/json' ? { output: {} } : undefined;
}

/** Sound has no form in a translated reply. */
function readModalities(value: unknown): MemberValue | undefined {
  if (!Array.isArray(value)) return undefined;
  const wanted = value.map((one) => String(one).toLowerCase());
  const modalities = (['text', 'image'] as const).filter((one) => wanted.includes(one));
  if (modalities.length !== wanted.length) return undefined;
  return wanted.join() === 'text' ? {} : { params: { modalities } };
}

/** A level, or a number of tokens: 0 is none, -1 leaves it to the model. */
function readThinking(value: unknown): MemberValue | undefined {
  if (!isObject(value)) return undefined;
  const level = stringField(value, 'thinkingLevel')?.toLowerCase();
  const budget = field(value, 'thinkingBudget');
  const shows = field(value, 'includeThoughts');
  const settings = typeof shows === 'boolean' ? { settings: { thoughts: shows ? 'shown' : 'hidden' } } : {};
  if (level && !level.includes('unspecified')) return { params: { reasoning: { effort: level } }, ...settings };
  if (typeof budget !== 'number') return settings;
  if (budget < 0) return { params: { reasoning: { effort: DYNAMIC } }, ...settings };
  return { params: { reasoning: budget === 0 ? { effort: 'none' } : { budget } }, ...settings };
}

/** The level for a model that decides itself. */
const DYNAMIC = 'medium';

/** One name that is allowed is a name; a list of several can be given to Google alone. */
function readToolConfig(value: unknown): MemberValue | undefined {
  const config = field(value, 'functionCallingConfig');
  const lost = isObject(value) ? otherMembers(value, 'functionCallingConfig', 'function_calling_config') : [];
  const others = lost.length > 0 ? { lost } : {};
  if (!isObject(config)) return others;
  const mode = stringField(config, 'mode')?.toLowerCase() ?? 'auto';
  const names = field(config, 'allowedFunctionNames');
  const [only] = Array.isArray(names) ? names : [];
  if (mode === 'none' || mode === 'auto' || mode === 'mode_unspecified')
    return { params: { toolChoice: mode === 'none' ? 'none' : 'auto' }, ...others };
  if (mode === 'validated') return { params: { toolChoice: 'auto' }, lost: [...lost, 'mode'] };
  if (mode !== 'any') return undefined;
  if (!Array.isArray(names) || names.length === 0) return { params: { toolChoice: 'required' }, ...others };
  return names.length === 1 && isText(only) ? { params: { toolChoice: { name: only } }, ...others } : undefined;
}

/** Each declared function. Parameters in Google's subset of OpenAPI become JSON Schema. */
function readClientTool(tool: JsonObject): readonly ReplacementTool[] | undefined {
  const declared = field(tool, 'functionDeclarations');
  if (!Array.isArray(declared)) return undefined;
  return declared.filter(isObject).flatMap((one): ReplacementTool[] => {
    const { name, description } = one;
    if (!isText(name)) return [];
    const schema = field(one, 'parametersJsonSchema') ?? toJsonSchema(field(one, 'parameters'));
    const known = ['name', 'description', 'parameters', 'parametersJsonSchema', 'parameters_json_schema'];
    const lost = otherMembers(one, ...known);
    return [
      {
        name,
        ...(isText(description) && { description }),
        parameters: isObject(schema) ? schema : { type: 'object', properties: {} },
        served: { name },
        ...(lost.length > 0 && { lost }),
      },
    ];
  });
}

/** Numbers that Google writes as texts, because they are 64 bits long. */
const COUNTS = /^(?:min|max)(?:Items|Length|Properties)$/;

/** Types in lower case, `nullable` as a type, and no members that only Google knows. */
function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (!isObject(value)) return value;
  const { nullable, propertyOrdering: _, property_ordering: __, ...others } = value;
  const members = Object.entries(others).map(([name, inner]) => {
    const member = name === 'any_of' ? 'anyOf' : name;
    if (member === 'type' && typeof inner === 'string') return [member, typeText(inner, nullable === true)];
    if (COUNTS.test(member) && typeof inner === 'string') return [member, Number(inner)];
    if (member === 'properties' && isObject(inner))
      return [member, Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, toJsonSchema(one)]))];
    return [member, member === 'items' || member === 'anyOf' ? toJsonSchema(inner) : inner];
  });
  return Object.fromEntries(members);
}

function typeText(type: string, isNullable: boolean): unknown {
  const name = type.toLowerCase();
  return isNullable ? [name, 'null'] : name;
}
