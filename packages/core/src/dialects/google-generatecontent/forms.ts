import { forModel } from '../provider.ts';
import { type Forms, joinedTexts, type Said, synthesised, type Target, VIEW_ID } from '../write/index.ts';

/** Passes validation in the place of a signature: Google's own way to bring in calls that carry none (`escape`). */
export const PLACEHOLDER = '"skip_thought_signature_validator"';

/** Whether the first call of a message must be signed (`sig-missing`). */
export function isSignatureRequired(target: Target, model: string = target.model): boolean {
  const { signatureRequired = { default: false } } = target.provider.policies.quirks;
  return forModel(signatureRequired, model) === true;
}

export const forms: Forms = {
  message(role, said, target, losses) {
    // Always on the first call, so that later requests extend this one.
    const signed = isSignatureRequired(target) ? said.findIndex(({ type }) => type === 'call') : -1;
    if (signed >= 0) losses.push(synthesised(`parts[${signed}]`, 'signature-placeholder'));
    const parts = said.map((item, index) => part(item, index === signed));
    return role === 'assistant' ? { text: contentText('model', parts) } : { text: contentText('user', parts), parts };
  },
  result({ id, name, isError, said }) {
    const text = joinedTexts(said.flatMap((item) => ('json' in item ? [item.json] : [])));
    const media = said.flatMap((item) => (item.type === 'media' ? [item.part] : []));
    const inside = media.length > 0 ? `,"parts":[${media.join(',')}]` : '';
    const response = `{"${isError ? 'error' : 'output'}":${text}}`;
    const parts = [`{"functionResponse":{${nameMembers(id, name)},"response":${response}${inside}}}`];
    return { text: contentText('user', parts), parts };
  },
  /** Inline data needs an exact type, a file an address. */
  media({ mediaType, source }) {
    const isExact = !mediaType.endsWith('/*');
    const type = isExact ? `"mimeType":${JSON.stringify(mediaType)},` : '';
    if (source.kind === 'base64')
      return isExact ? `{"inlineData":{${type}"data":${JSON.stringify(source.data)}}}` : undefined;
    const uri = source.kind === 'file' ? source.id : source.url;
    return uri.includes(':') ? `{"fileData":{${type}"fileUri":${JSON.stringify(uri)}}}` : undefined;
  },
};

export function contentText(role: 'user' | 'model', parts: readonly string[]): string {
  return `{"role":"${role}","parts":[${parts.join(',')}]}`;
}

export function textPart(json: string): string {
  return `{"text":${json}}`;
}

function part(said: Said, isSigned: boolean): string {
  if (said.type === 'media') return said.part;
  if (said.type !== 'call') return textPart(said.json);
  const signature = isSigned ? `,"thoughtSignature":${PLACEHOLDER}` : '';
  return `{"functionCall":{${nameMembers(said.id, said.name)},"args":${said.args}}${signature}}`;
}

/** Ids that only the view made up are left out. */
function nameMembers(id: string, name: string): string {
  return `${id.startsWith(VIEW_ID) ? '' : `"id":${JSON.stringify(id)},`}"name":${JSON.stringify(name)}`;
}
