import type { Environment } from '../registry.ts';
import { loadPackage } from './optional-package.ts';
import type { Signer } from './signers.ts';

/** How `createGoogleSigner` gets what it needs. */
export interface GoogleSignerOptions {
  /** Called for every request; default: the credentials that `google-auth-library` finds. */
  readonly token?: (env: Environment) => string | undefined | null | Promise<string | undefined | null>;
}

/**
 * Makes a signer that adds a token of a Google account. Tokens come from `google-auth-library`, which is loaded with the first
 * of them, and keeps them until they expire. A request that carries a token is left as it is.
 *
 * @example
 * registerSigner('google-auth', createGoogleSigner({ token: () => auth.getAccessToken() }));
 */
export function createGoogleSigner({ token = defaultToken }: GoogleSignerOptions = {}): Signer {
  return async ({ headers, env }) => {
    if (headers.authorization !== undefined || headers['x-goog-api-key'] !== undefined) return {};
    return { authorization: `Bearer ${await token(env)}` };
  };
}

let client: Promise<{ getAccessToken(): Promise<string | null | undefined> }> | undefined;

async function defaultToken(): Promise<string | null | undefined> {
  client ??= loadPackage<typeof import('google-auth-library')>(
    'google-auth-library',
    'A token of a Google account',
  ).then(({ GoogleAuth }) => new GoogleAuth({ scopes: 'https://www.googleapis.com/auth/cloud-platform' }));
  return (await client).getAccessToken();
}

/** Signs by the application default credentials. */
export const signWithGoogle: Signer = /* @__PURE__ */ createGoogleSigner();
