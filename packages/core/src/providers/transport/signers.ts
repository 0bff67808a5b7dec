import { SkeinError } from '../../error.ts';
import type { Environment } from '../endpoint.ts';

/** A request as it is about to be sent. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The variables that the signer may take its credentials from. */
  readonly env: Environment;
}

/** Returns the headers that sign a request; they are added to its own. It is called for every attempt. */
export type Signer = (
  request: UnsignedRequest,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

/** Our own signers are loaded with their first signature. */
const signers = /* @__PURE__ */ new Map<string, Signer>([
  ['aws-sigv4', async (request) => (await import('./aws-signer.ts')).signV4(request)],
  ['google-auth', async (request) => (await import('./google-signer.ts')).signWithGoogle(request)],
]);

/**
 * Registers a signer under the name that providers give it (`connection.signer`). A signer needs a clock and credentials,
 * so it is no part of a provider's description.
 *
 * @example
 * registerSigner('aws-sigv4', ({ method, url, headers, body }) => signV4(credentials, method, url, headers, body));
 */
export function registerSigner(name: string, sign: Signer): void {
  signers.set(name, sign);
}

/** The signer of that name. */
export function findSigner(name: string): Signer {
  const found = signers.get(name);
  if (!found) throw new UnknownSignerError(name, [...signers.keys()]);
  return found;
}

/** Thrown if no signer is registered by the name that a provider gives. */
export class UnknownSignerError extends SkeinError {
  override readonly name = 'UnknownSignerError';
  readonly code = 'invalid_configuration';

  constructor(name: string, known: readonly string[]) {
    const registered = known.length > 0 ? `registered are ${known.join(', ')}` : 'none is registered';
    super(`The provider's requests are signed by "${name}", but ${registered}: call registerSigner first`);
  }
}
