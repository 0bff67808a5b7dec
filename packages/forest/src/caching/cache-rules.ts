/** When the cache of a provider can serve the beginning of a request, as far as documentation and recordings tell. */
export interface CacheRules {
  /**
   * `marked`: only up to the cache markers of a request; `automatic`: every request, as far as the provider keeps it;
   * `none`: the provider does not cache, or does not say so.
   */
  readonly kind: 'marked' | 'automatic' | 'none';
  /** The fewest tokens that are cached, by the documentation where it says so. */
  readonly minimum: number;
  /** The fewest tokens that a recording shows, where that is less: a shorter prompt may be cached, but need not. */
  readonly seen?: number;
  /** Reads come in multiples of so many tokens. */
  readonly increment: number;
  /** How long an unused entry is kept, in milliseconds; every use starts it anew. */
  readonly lifetime: number;
  /** The lifetime of an entry that the request asks to keep longer, and the pattern in the marker or body that asks. */
  readonly longer?: { readonly asks: RegExp; readonly lifetime: number };
  /** How many blocks before a marker are searched for an earlier entry. */
  readonly lookback?: number;
  /** Members of the body, beside the model, that a cached beginning is bound to. */
  readonly bound: readonly string[];
  /** Headers that a cached beginning is bound to. */
  readonly boundHeaders: readonly string[];
  /** Where this is known from. */
  readonly evidence: string;
}

interface RuleSet {
  /** The provider ids. */
  readonly providers: RegExp;
  /** The models, by their names at the provider; the first set that fits counts. */
  readonly models: RegExp;
  readonly rules: CacheRules;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const MARKED: Omit<CacheRules, 'minimum' | 'evidence'> = {
  kind: 'marked',
  increment: 1,
  lifetime: 5 * MINUTE,
  longer: { asks: /"ttl"\s*:\s*"1h"/, lifetime: HOUR },
  lookback: 20,
  bound: ['tool_choice', 'thinking', 'output_config', 'speed'],
  boundHeaders: ['anthropic-beta'],
};

const AUTOMATIC: Omit<CacheRules, 'evidence'> = {
  kind: 'automatic',
  minimum: 1024,
  increment: 128,
  lifetime: HOUR,
  bound: [],
  boundHeaders: [],
};

const OPENAI_BOUND = ['prompt_cache_key', 'reasoning', 'text', 'service_tier', 'response_format'];

/** Claude is served by several providers, always under the same rules. */
const CLAUDE_SERVERS = /^(?:anthropic|bedrock|bedrock-invoke|vertex-anthropic|openrouter)$/;
const CLAUDE_DOCS = "Anthropic's documentation of prompt caching";

function claude(models: RegExp, minimum: number, evidence: string): RuleSet {
  return { providers: CLAUDE_SERVERS, models, rules: { ...MARKED, minimum, evidence } };
}

function gemini(models: RegExp, minimum: number): RuleSet {
  const evidence =
    "Google's documentation of implicit caching, as of October 2026; recorded: 191 and 682 tokens at gemini-2";
  return {
    providers: /^(?:google.*|vertex|openrouter)$/,
    models,
    rules: { ...AUTOMATIC, minimum, seen: 191, increment: 1, evidence },
  };
}

const RULES: readonly RuleSet[] = [
  claude(/claude-(?:opus|fable|mythos)-5/, 512, `${CLAUDE_DOCS}, as of October 2026`),
  claude(/claude-(?:opus-4[-.](?:5|6|7)|haiku-4[-.]5)/, 4096, CLAUDE_DOCS),
  claude(/claude-.*haiku-3|claude-3.*haiku/, 2048, CLAUDE_DOCS),
  claude(/claude/, 1024, `${CLAUDE_DOCS}; recorded: 1,069 tokens at claude-sonnet-4-5, 1,590 at claude-opus-4-8`),
  {
    providers: /^bedrock$/,
    models: /nova/,
    rules: {
      ...MARKED,
      minimum: 1000,
      bound: [],
      boundHeaders: [],
      evidence: "Amazon's documentation of prompt caching; recorded: 2,492 tokens at a Nova model",
    },
  },
  {
    providers: /^(?:openai.*|azure-openai|openrouter|bedrock.*)$/,
    models: /gpt-5\.(?:[6-9]|\d\d)|gpt-[6-9]/,
    rules: {
      ...AUTOMATIC,
      seen: 27,
      increment: 1,
      lifetime: 30 * MINUTE,
      longer: { asks: /"ttl"\s*:\s*"12h"/, lifetime: 12 * HOUR },
      bound: OPENAI_BOUND,
      evidence:
        'recorded: writes of 27 and 86 tokens, and 4,012 tokens written and read; `prompt_cache_options.ttl` of the SDK',
    },
  },
  {
    providers: /^(?:openai.*|azure-openai|openrouter)$/,
    models: /gpt|^o\d|codex/,
    rules: {
      ...AUTOMATIC,
      longer: { asks: /"prompt_cache_retention"\s*:\s*"24h"/, lifetime: 24 * HOUR },
      bound: OPENAI_BOUND,
      evidence:
        "OpenAI's documentation of prompt caching: kept five to ten minutes, at most an hour; recorded: 1,280 and 2,048 tokens",
    },
  },
  gemini(/gemini-2/, 2048),
  gemini(/gemini/, 4096),
  {
    providers: /^deepseek$/,
    models: /./,
    rules: {
      ...AUTOMATIC,
      minimum: 64,
      increment: 64,
      lifetime: 24 * HOUR,
      evidence:
        "DeepSeek's documentation: units of 64 tokens, kept for hours to days; recorded: 128, 512 and 896 tokens",
    },
  },
  {
    providers: /^mistral$/,
    models: /./,
    rules: { ...AUTOMATIC, minimum: 16, increment: 16, evidence: 'recorded: 32 and 48 tokens' },
  },
  {
    providers: /^groq$/,
    models: /./,
    rules: {
      ...AUTOMATIC,
      minimum: 128,
      increment: 128,
      lifetime: 2 * HOUR,
      evidence: "Groq's documentation; recorded: 256 tokens",
    },
  },
  {
    providers: /^(?:xai|moonshot|zai|lmstudio|fireworks)$/,
    models: /./,
    rules: {
      ...AUTOMATIC,
      minimum: 1,
      increment: 1,
      evidence: 'recorded: 2, 4, 30 and 947 tokens at xAI, Z.ai and LM Studio; not documented',
    },
  },
];

const NONE: CacheRules = {
  ...AUTOMATIC,
  kind: 'none',
  evidence: 'neither documentation nor a recording tells that it caches',
};

/**
 * The cache rules of a model at a provider.
 *
 * @example
 * cacheRules('anthropic', 'claude-opus-4-5').minimum; // 4096
 */
export function cacheRules(provider: string, model: string): CacheRules {
  const name = model.toLowerCase();
  return RULES.find(({ providers, models }) => providers.test(provider) && models.test(name))?.rules ?? NONE;
}

/** The headers that any provider's cache is bound to. */
export function boundHeaders(): string[] {
  return [...new Set(RULES.flatMap(({ rules }) => rules.boundHeaders))];
}
