/** What AWS puts around an API: frames of the binary event stream, and signatures of requests. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { SseEvent } from '../render/renderer.ts';
import type { HeaderMap } from './state.ts';

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

/** A header whose value is a string: type 7. */
function header(name: string, value: string): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    size,
    Buffer.from(value),
  ]);
}

/** One event as a frame; one that is an exception says so in its headers. */
export function frame({ event = '', data = '', exception = false }: SseEvent): Buffer {
  const type = exception ? 'exception' : 'event';
  const headers = Buffer.concat([
    header(`:${type}-type`, event),
    header(':content-type', 'application/json'),
    header(':message-type', type),
  ]);
  const payload = Buffer.from(data);
  const lengths = Buffer.concat([uint32(16 + headers.length + payload.length), uint32(headers.length)]);
  const whole = Buffer.concat([lengths, uint32(crc32(lengths)), headers, payload]);
  return Buffer.concat([whole, uint32(crc32(whole))]);
}

/** An event of the model's own API inside a frame. */
export const chunkFrame = (event: SseEvent): Buffer =>
  event.exception
    ? frame(event)
    : frame({
        event: 'chunk',
        data: JSON.stringify({ bytes: Buffer.from(event.data ?? '').toString('base64'), p: 'abcd' }),
      });

const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: 'Validation',
  403: 'AccessDenied',
  404: 'ResourceNotFound',
  408: 'ModelTimeout',
  424: 'ModelError',
  429: 'Throttling',
  503: 'ServiceUnavailable',
  529: 'ServiceUnavailable',
};

/** The class of an error, as the header `x-amzn-ErrorType` names it. */
export const exceptionName = (status: number): string =>
  `${EXCEPTIONS[status] ?? (status < 500 ? 'Validation' : 'InternalServer')}Exception`;

/** An exception inside a stream; its name there begins with a small letter. */
export function exceptionEvent(status: number, message: string): SseEvent {
  const name = exceptionName(status);
  return { event: name[0]?.toLowerCase() + name.slice(1), data: JSON.stringify({ message }), exception: true };
}

/** The credentials with which requests must be signed. */
export interface AwsAccount {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface SignedRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly path: string;
  readonly headers: HeaderMap;
  readonly bytes: Buffer;
}

const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request,\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/;

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

export const isSigned = ({ authorization = '' }: HeaderMap): boolean => authorization.startsWith('AWS4-HMAC-SHA256');

const MISMATCH =
  'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.';

/** Why a signature of version 4 is not accepted; undefined when it is. Without an account, only its form is checked. */
export function checkSignature(request: SignedRequest, account: AwsAccount | undefined): string | undefined {
  const { headers, method, path, bytes } = request;
  const match = SIGNATURE.exec(headers.authorization ?? '');
  if (!match) return 'Authorization header requires Credential, SignedHeaders and Signature.';
  const [, key = '', day = '', region = '', service = '', names = '', given = ''] = match;
  if (!names.split(';').includes('host')) return "'Host' must be a 'SignedHeader' in the AWS Authorization.";
  if (!account) return undefined;
  if (key !== account.accessKeyId) return 'The security token included in the request is invalid.';
  const [plainPath = '', query = ''] = path.split('?');
  const signed = names.split(';').map((name) => `${name}:${(headers[name] ?? '').trim().replace(/\s+/g, ' ')}\n`);
  const canonical = [
    method,
    // The path is encoded once more, as every service but S3 wants it.
    plainPath.split('/').map(encodeStrictly).join('/'),
    query.split('&').filter(Boolean).sort().join('&'),
    signed.join(''),
    names,
    headers['x-amz-content-sha256'] ?? sha256(bytes),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const secret = ['aws4_request', service, region].reduceRight(
    (current, part) => hmac(current, part),
    hmac(`AWS4${account.secretAccessKey}`, day),
  );
  const isBodyRight = [undefined, 'UNSIGNED-PAYLOAD', sha256(bytes)].includes(headers['x-amz-content-sha256']);
  return isBodyRight && timingSafeEqual(hmac(secret, text), Buffer.from(given, 'hex')) ? undefined : MISMATCH;
}

const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
