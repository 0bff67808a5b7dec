import type { AnyProtocol } from './recordings.ts';

/**
 * What of an event need not be kept: what places it, pads it against eavesdroppers, or is said again by a later
 * event of the same stream.
 */
export const PASSING: Readonly<Record<AnyProtocol, readonly RegExp[]>> = {
  'openai-chat': [
    /^choices\[\]\.delta\.tool_calls\[\]\.index$/,
    /^obfuscation$/,
    // Sent with every chunk, as they are at that time.
    /^(created|object|usage\.\w+)$/,
  ],
  'openai-responses': [
    / (sequence_number|output_index|content_index|summary_index|annotation_index|item_id|type|obfuscation)$/,
    // The response at the end says it again; ids rotate and ciphertexts differ from event to event at some providers.
    /^response\.(created|in_progress) response\.(id|status|created_at)$/,
    /^response\.output_item\.(added|done) item\.(id|call_id|status|encrypted_content|fingerprint)$/,
    // Rounded differently in the item at the end. The part before it has none (recorded): where a stream is cut between
    // the two, they are gone.
    /^response\.output_text\.(delta|done) logprobs\[\]/,
  ],
  'anthropic-messages': [
    / (type|index|delta\.type)$/,
    // Pieces of a JSON text, which becomes a value.
    / delta\.partial_json$/,
    // Counted up while the reply is written.
    /^message_(start message\.|delta )usage\.(input|output)_tokens$/,
  ],
  // Counted up while the reply is written.
  'google-generatecontent': [/^usageMetadata\./],
  'google-interactions': [
    /^(index|event_type|event_id|interaction_id|delta\.type)$/,
    // Pieces of a JSON text, which becomes a value.
    /^delta\.arguments$/,
    // Said again at the end.
    /^(interaction\.)?status$/,
    // A summary comes in pieces of contents.
    /^delta\.content\.type$/,
  ],
  'bedrock-converse': [
    // Where a piece belongs, and padding against eavesdroppers.
    /(^| )(contentBlockIndex|p)$/,
    // Pieces of a JSON text, which becomes a value.
    /(^| )delta\.toolUse\.input$/,
  ],
  'cohere-chat': [
    /(^| )(type|index)$/,
    // A call that begins has no arguments yet.
    /(^| )delta\.message\.tool_calls\.function\.arguments$/,
  ],
};
