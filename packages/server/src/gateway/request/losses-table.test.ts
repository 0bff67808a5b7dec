import {
  anthropicMessages,
  type Dialect,
  dialects,
  googleGenerateContent,
  openaiChat,
  openaiResponses,
} from '@skein/core';
import { serving } from '@skein/core/dialect';
import { describe, expect, it } from 'vitest';
import { ClientRefusal } from '../client/client-error.ts';
import { type Adapted, adapt, findTarget, type ModelName } from './test-adapt.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = 'JVBERi0xLjQK';
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const fn = { name: 'f', description: 'F', parameters: schema };

/** One of each protocol. */
const UPSTREAMS: readonly ModelName[] = [
  'chat',
  'responses',
  'anthropic',
  'google',
  'interactions',
  'bedrock',
  'cohere',
];

/** A member of a request with a value that asks for something, or a conversation with something in it. */
type Samples = Readonly<Record<string, unknown>>;

interface ClientSamples {
  readonly dialect: Dialect;
  readonly base: Readonly<Record<string, unknown>>;
  /** A function. */
  readonly tools: readonly object[];
  /** By the path of the member. */
  readonly members: Samples;
  /** Members of the body, by what they show. */
  readonly content: Readonly<Record<string, object>>;
}

const CLIENTS: readonly ClientSamples[] = [
  {
    dialect: openaiChat,
    tools: [{ type: 'function', function: fn }],
    base: { model: 'm', messages: [{ role: 'user', content: 'Go' }] },
    members: {
      audio: { voice: 'alloy', format: 'wav' },
      frequency_penalty: 0.5,
      function_call: 'auto',
      functions: [fn],
      logit_bias: { 5: 1 },
      logprobs: true,
      max_tokens: 100,
      metadata: { a: 'b' },
      modalities: ['text', 'audio'],
      moderation: { model: 'm' },
      n: 2,
      prediction: { type: 'content', content: 'x' },
      presence_penalty: 0.5,
      prompt_cache_key: 'k',
      prompt_cache_options: { mode: 'explicit' },
      prompt_cache_retention: '24h',
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'o', schema, strict: true } },
      safety_identifier: 'u',
      seed: 2 ** 60,
      service_tier: 'flex',
      stop: 'END',
      store: true,
      stream_options: { include_usage: true },
      tool_choice: 'required',
      top_logprobs: 2,
      user: 'u',
      verbosity: 'low',
      web_search_options: {},
    },
    content: {
      max_completion_tokens: { max_completion_tokens: 100 },
      temperature: { temperature: 0.5 },
      top_p: { top_p: 0.9 },
      'a `seed` below 2^53': { seed: 7 },
      '`parallel_tool_calls: false`': { tools: [{ type: 'function', function: fn }], parallel_tool_calls: false },
      '`response_format` with `json_object`, without a schema': { response_format: { type: 'json_object' } },
      'a tool that must be called, by its name': {
        tools: [{ type: 'function', function: fn }],
        tool_choice: { type: 'function', function: { name: 'f' } },
      },
      'functions with `strict`': { tools: [{ type: 'function', function: { ...fn, strict: true } }] },
      'custom tools': { tools: [{ type: 'custom', custom: { name: 'c' } }] },
      'an image': {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] },
        ],
      },
      'a PDF': {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Read' },
              { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
            ],
          },
        ],
      },
      'calls and results': {
        tools: [{ type: 'function', function: fn }],
        messages: [
          { role: 'user', content: 'Go' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":"b"}' } }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
        ],
      },
      'a system message after the first user message': {
        messages: [
          { role: 'user', content: 'Go' },
          { role: 'assistant', content: 'Yes' },
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: 'On' },
        ],
      },
      'an answer that the client began, which the model continues': {
        messages: [
          { role: 'user', content: 'Go' },
          { role: 'assistant', content: 'The answer' },
        ],
      },
    },
  },
  {
    dialect: openaiResponses,
    tools: [{ type: 'function', ...fn }],
    base: { model: 'm', input: 'Go' },
    members: {
      access_programs: ['a'],
      background: true,
      client_metadata: { a: 'b' },
      context_management: [{ type: 'compaction' }],
      conversation: 'conv_1',
      generate: false,
      include: ['web_search_call.action.sources'],
      max_tool_calls: 3,
      metadata: { a: 'b' },
      moderation: { model: 'm' },
      previous_response_id: 'resp_1',
      prompt: { id: 'pmpt_1' },
      prompt_cache_key: 'k',
      prompt_cache_options: { mode: 'explicit' },
      prompt_cache_retention: '24h',
      'reasoning.context': 'all_turns',
      'reasoning.effort': 'low',
      'reasoning.generate_summary': 'auto',
      'reasoning.mode': 'pro',
      'reasoning.summary': 'auto',
      safety_identifier: 'u',
      service_tier: 'flex',
      store: true,
      stream_id: 's',
      stream_options: { include_obfuscation: false },
      'text.format': { type: 'json_schema', name: 'o', schema, strict: true },
      'text.verbosity': 'low',
      tool_choice: 'required',
      top_logprobs: 2,
      truncation: 'auto',
      type: 'response.create',
      user: 'u',
    },
    content: {
      max_output_tokens: { max_output_tokens: 100 },
      temperature: { temperature: 0.5 },
      top_p: { top_p: 0.9 },
      'reasoning with a summary': { reasoning: { effort: 'low', summary: 'auto' } },
      'logprobs in `include`': { include: ['message.output_text.logprobs'] },
      'functions with `strict`': { tools: [{ type: 'function', ...fn, strict: true }] },
      'custom tools with a grammar': {
        tools: [{ type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } }],
      },
      local_shell: { tools: [{ type: 'local_shell' }] },
      shell: { tools: [{ type: 'shell' }] },
      apply_patch: { tools: [{ type: 'apply_patch' }] },
      computer: { tools: [{ type: 'computer' }] },
      namespace: { tools: [{ type: 'namespace', name: 'n', description: 'N', tools: [{ type: 'function', ...fn }] }] },
      web_search: { tools: [{ type: 'web_search' }] },
      code_interpreter: { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
      file_search: { tools: [{ type: 'file_search', vector_store_ids: ['vs'] }] },
      mcp: { tools: [{ type: 'mcp', server_label: 'm', server_url: 'https://m' }] },
      'an image': {
        input: [
          {
            role: 'user',
            content: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' }],
          },
        ],
      },
      'calls and results': {
        tools: [{ type: 'function', ...fn }],
        input: [
          { role: 'user', content: 'Go' },
          { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":"b"}' },
          { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
        ],
      },
      'reasoning that another provider wrote': {
        input: [
          { role: 'user', content: 'Go' },
          { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'abc' },
          { role: 'assistant', content: 'Yes' },
          { role: 'user', content: 'On' },
        ],
      },
    },
  },
  {
    dialect: anthropicMessages,
    tools: [{ name: 'f', input_schema: schema }],
    base: { model: 'm', max_tokens: 20_000, messages: [{ role: 'user', content: 'Go' }] },
    members: {
      anthropic_beta: ['b'],
      anthropic_version: '2023-06-01',
      betas: ['b'],
      cache_control: { type: 'ephemeral' },
      compaction: { type: 'auto' },
      container: 'c',
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      diagnostics: { previous_message_id: 'msg_1' },
      fallback_credit_token: 't',
      fallbacks: [{ model: 'm' }],
      inference_geo: 'us',
      mcp_servers: [{ type: 'url', name: 'm', url: 'https://m' }],
      'metadata.user_id': 'u',
      'output_config.effort': 'low',
      'output_config.format': { type: 'json_schema', schema },
      'output_config.task_budget': { type: 'tokens', total: 5000 },
      output_format: { type: 'json_schema', schema },
      service_tier: 'standard_only',
      speed: 'fast',
      thinking: { type: 'enabled', budget_tokens: 5000 },
      'thinking.display': undefined,
      thread: { type: 'create' },
      tool_choice: { type: 'any' },
      top_k: 5,
      user_profile_id: 'u',
      workspace_id: 'w',
    },
    content: {
      max_tokens: { max_tokens: 200 },
      temperature: { temperature: 0.5 },
      top_p: { top_p: 0.9 },
      stop_sequences: { stop_sequences: ['END'] },
      'adaptive thinking with the effort `max`': { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
      '`disable_parallel_tool_use`': {
        tools: [{ name: 'f', input_schema: schema }],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
      bash: { tools: [{ type: 'bash_20250124', name: 'bash' }] },
      text_editor: { tools: [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }] },
      computer: { tools: [{ type: 'computer_20250124', name: 'computer', display_width_px: 8, display_height_px: 6 }] },
      memory: { tools: [{ type: 'memory_20250818', name: 'memory' }] },
      web_search: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      code_execution: { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
      'the billing header that Claude Code puts into the system text': {
        system: [
          { type: 'text', text: 'x-anthropic-billing-header: a' },
          { type: 'text', text: 'Be brief' },
        ],
      },
      'cache markers': {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Go', cache_control: { type: 'ephemeral' } }] }],
      },
      'an image': {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
          },
        ],
      },
      'a PDF': {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Read' },
              { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
            ],
          },
        ],
      },
      'calls and results, one of them failed': {
        tools: [{ name: 'f', input_schema: schema }],
        messages: [
          { role: 'user', content: 'Go' },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 'b' } },
              { type: 'tool_use', id: 'toolu_2', name: 'f', input: { a: 'c' } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' },
              { type: 'tool_result', tool_use_id: 'toolu_2', content: 'It failed', is_error: true },
            ],
          },
        ],
      },
      'an image in a result': {
        tools: [{ name: 'f', input_schema: schema }],
        messages: [
          { role: 'user', content: 'Go' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 'b' } }] },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'toolu_1',
                content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
              },
            ],
          },
        ],
      },
      'an answer that the client began, which the model continues': {
        messages: [
          { role: 'user', content: 'Go' },
          { role: 'assistant', content: 'The answer' },
        ],
      },
    },
  },
  {
    dialect: googleGenerateContent,
    tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }],
    base: { contents: [{ role: 'user', parts: [{ text: 'Go' }] }] },
    members: {
      cachedContent: 'cachedContents/1',
      labels: { a: 'b' },
      modelArmorConfig: {},
      safetySettings: [{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_NONE' }],
      serviceTier: 'flex',
      store: true,
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      continuationToken: 't',
      automaticContinuation: true,
      'generationConfig.audioTimestamp': true,
      'generationConfig.audioTranscriptionConfig': {},
      'generationConfig.candidateCount': 2,
      'generationConfig.enableAffectiveDialog': true,
      'generationConfig.enableEnhancedCivicAnswers': true,
      'generationConfig.frequencyPenalty': 0.5,
      'generationConfig.imageConfig': { aspectRatio: '1:1' },
      'generationConfig.logprobs': 2,
      'generationConfig.mediaResolution': 'MEDIA_RESOLUTION_LOW',
      'generationConfig.modelSelectionConfig': {},
      'generationConfig.presencePenalty': 0.5,
      'generationConfig.responseFormat': [{ type: 'text' }],
      'generationConfig.responseJsonSchema': schema,
      'generationConfig.responseLogprobs': true,
      'generationConfig.responseMimeType': 'application/json',
      'generationConfig.responseModalities': ['TEXT', 'IMAGE'],
      'generationConfig.responseSchema': { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['a'] },
      'generationConfig.routingConfig': {},
      'generationConfig.seed': 2 ** 60,
      'generationConfig.speechConfig': {},
      'generationConfig.thinkingConfig': { thinkingLevel: 'LOW', includeThoughts: true },
      'generationConfig.thinkingConfig.includeThoughts': undefined,
      'generationConfig.topK': 5,
      'generationConfig.translationConfig': {},
    },
    content: {
      maxOutputTokens: { generationConfig: { maxOutputTokens: 100 } },
      temperature: { generationConfig: { temperature: 0.5 } },
      topP: { generationConfig: { topP: 0.9 } },
      stopSequences: { generationConfig: { stopSequences: ['END'] } },
      'a `seed` below 2^53': { generationConfig: { seed: 7 } },
      thinkingBudget: { generationConfig: { thinkingConfig: { thinkingBudget: 5000 } } },
      'functions with `parameters`': {
        tools: [
          {
            functionDeclarations: [
              { name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } },
            ],
          },
        ],
      },
      googleSearch: { tools: [{ googleSearch: {} }] },
      codeExecution: { tools: [{ codeExecution: {} }] },
      urlContext: { tools: [{ urlContext: {} }] },
      googleMaps: { tools: [{ googleMaps: {} }] },
      computerUse: { tools: [{ computerUse: { environment: 'ENVIRONMENT_BROWSER' } }] },
      'an image': { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] }] },
      audio: {
        contents: [
          { role: 'user', parts: [{ text: 'Hear' }, { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }] },
        ],
      },
      'calls and results': {
        tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }],
        contents: [
          { role: 'user', parts: [{ text: 'Go' }] },
          { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 'b' } } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'ok' } } }] },
        ],
      },
    },
  },
];

type Outcome = 'carried' | 'rewritten' | 'partly' | 'gateway' | 'refused' | 'reported';

const SIGNS: Readonly<Record<Outcome | 'as sent', string>> = {
  carried: '✓',
  rewritten: '~',
  partly: '✓ –',
  gateway: 'gateway',
  refused: '**400**',
  reported: '–',
  'as sent': '=',
};

/** What becomes of a sample, by comparison with the same request without it. */
async function findOutcome(client: Dialect, base: object, members: object, to: ModelName): Promise<Outcome> {
  const plain = await adapt(client, base, to);
  let sampled: Adapted;
  try {
    sampled = await adapt(client, { ...base, ...members }, to);
  } catch (error) {
    if (error instanceof ClientRefusal) return 'refused';
    throw error;
  }
  const isNew = (note: string): boolean => !plain.notes.includes(note) && !/^synthesised\s+cache-marker/.test(note);
  const notes = sampled.notes.filter(isNew);
  const isChanged = JSON.stringify(sampled.body) !== JSON.stringify(plain.body);
  if (notes.some((note) => note.startsWith('dropped'))) return isChanged ? 'partly' : 'reported';
  if (sampled.copies > 1 || sampled.stops.length > 0) return 'gateway';
  if (notes.length > 0) return 'rewritten';
  return isChanged ? 'carried' : 'gateway';
}

function nest([name = '', ...rest]: readonly string[], value: unknown): object {
  return { [name]: rest.length === 0 ? value : nest(rest, value) };
}

async function writeTable({ dialect, base, members, content, tools }: ClientSamples): Promise<string> {
  const samples = [
    ...Object.entries(members).flatMap(([path, value]) =>
      value === undefined
        ? []
        : [[`\`${path}\``, { ...nest(path.split('.'), value), ...(/^tool_?[cC]/.test(path) && { tools }) }] as const],
    ),
    ...Object.entries(content).map(([name, value]) => [/^[\w.]+$/.test(name) ? `\`${name}\`` : name, value] as const),
  ];
  const rows: string[] = [];
  for (const [name, value] of samples) {
    const cells: string[] = [];
    for (const to of UPSTREAMS) {
      const isSame = findTarget(to).provider.dialect === dialect.id;
      cells.push(SIGNS[isSame ? 'as sent' : await findOutcome(dialect, base, value, to)]);
    }
    rows.push(`| ${name} | ${cells.join(' | ')} |`);
  }
  const titles = UPSTREAMS.map((to) => dialects().find(({ id }) => id === findTarget(to).provider.dialect)!.title);
  return [
    `## A client of ${dialect.title}`,
    '',
    `| in the request | ${titles.join(' | ')} |`,
    `|---|${UPSTREAMS.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n');
}

const INTRODUCTION = `# What the gateway loses between protocols

A test writes this page: it sends each member of a request, and each kind of content, from every protocol of clients to a model of every protocol, and looks
at what goes out. Run \`npx vitest run packages/server/src/gateway/request/losses-table.test.ts -u\` to write it again.

| sign | meaning |
|---|---|
| ${SIGNS['as sent']} | Both sides speak the same protocol: the request goes out as the client sent it. |
| ${SIGNS.carried} | Carried: the provider is told the same in its own words. |
| ${SIGNS.rewritten} | Carried in another form, such as an effort for a number of tokens or a function for a tool of the vendor; the change is reported. |
| ${SIGNS.partly} | Carried in part; the part that is left out is reported. |
| ${SIGNS.gateway} | Nothing is sent: the gateway does it itself, such as several answers for \`n\`, or it concerns only the client and the gateway. |
| ${SIGNS.reported} | Left out, and reported in \`x-skein-losses\` and in the recording. With \`x-skein-strict: true\` it is refused. |
| ${SIGNS.refused} | Refused with status 400, in the form of the client's protocol: a program that asks for it could not do without it. |

A member is tried with one value. Where the value decides, a row below says which: \`seed\` is tried with 2^60, and again with a number below 2^53.

What a reply loses on its way back to the client is noted in the recording, too: citations without an address, media that the client's protocol has no form for, and the
blocks of tools that ran at the provider. The gateway keeps the reasoning of every reply: the client gets what its protocol can show, and in later requests the gateway sends the
original bytes back to the provider that wrote them. Other providers are sent none of it.
`;

describe('docs/gateway-losses.md', () => {
  it.each(CLIENTS)('has a sample of each member that $dialect.id knows', ({ dialect, members }) => {
    expect(Object.keys(members).sort()).toEqual(Object.keys(serving(dialect).meaning!.members).sort());
  });

  it('says what each pair of protocols loses', async () => {
    const tables: string[] = [];
    for (const client of CLIENTS) tables.push(await writeTable(client));
    await expect(`${[INTRODUCTION.trimEnd(), ...tables].join('\n\n')}\n`).toMatchFileSnapshot(
      '../../../../../docs/gateway-losses.md',
    );
  });
});
