import { SkeinError } from '../../error.ts';
import type { Environment } from '../registry.ts';
import { loadPackage } from './optional-package.ts';
import type { Signer, UnsignedRequest } from './signers.ts';

const USE = 'A signature for AWS';

/** The credentials of an AWS account or role. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** How `createAwsSigner` gets what it needs. */
export interface AwsSignerOptions {
  /** Called for every request; default: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. */
  readonly credentials?: (env: Environment) => AwsCredentials | undefined | Promise<AwsCredentials | undefined>;
  /** Default: the region in the host, or else `AWS_REGION` or `AWS_DEFAULT_REGION`. */
  readonly region?: string;
  /** Default: `bedrock`. */
  readonly service?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Makes a signer that signs requests by Signature Version 4. It needs the packages `@smithy/signature-v4` and
 * `@aws-crypto/sha256-js`, which are loaded with the first signature. A request that carries a key is left as it is.
 *
 * @example
 * import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
 * registerSigner('aws-sigv4', createAwsSigner({ credentials: fromNodeProviderChain() }));
 */
export function createAwsSigner(options: AwsSignerOptions = {}): Signer {
  const { credentials: find = readCredentials, service = 'bedrock', now = Date.now } = options;
  return async (request) => {
    const { method, headers, body, env } = request;
    if (headers.authorization !== undefined) return {};
    const credentials = await find(env);
    if (!credentials) throw new MissingCredentialsError();
    const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
      loadPackage<typeof import('@smithy/signature-v4')>('@smithy/signature-v4', USE),
      loadPackage<typeof import('@aws-crypto/sha256-js')>('@aws-crypto/sha256-js', USE),
    ]);
    const { hostname, host, pathname, searchParams, protocol } = new URL(request.url);
    const region = options.region ?? regionOf(hostname) ?? findRegion(env);
    const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 });
    const signed = await signer.sign(
      {
        method,
        protocol,
        hostname,
        // The path is encoded once more for the signature, as AWS does with every service but S3.
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: { ...signedHeaders(request), host },
        body,
      },
      { signingDate: new Date(now()) },
    );
    const names = ['authorization', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'];
    return Object.fromEntries(names.flatMap((name) => (signed.headers[name] ? [[name, signed.headers[name]]] : [])));
  };
}

/** The headers that nobody on the way changes. */
function signedHeaders({ headers }: UnsignedRequest): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name === 'content-type' || name.startsWith('x-amz'));
  return Object.fromEntries(kept);
}

function regionOf(hostname: string): string | undefined {
  return /^[a-z-]+\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(hostname)?.[1];
}

function findRegion(env: Environment): string {
  return env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || 'us-east-1';
}

function readCredentials(env: Environment): AwsCredentials | undefined {
  const accessKeyId = env.AWS_ACCESS_KEY_ID?.trim();
  const secretAccessKey = env.AWS_SECRET_ACCESS_KEY?.trim();
  if (!accessKeyId || !secretAccessKey) return undefined;
  const sessionToken = env.AWS_SESSION_TOKEN?.trim();
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

/** Signs by the credentials of the environment. */
export const signV4: Signer = /* @__PURE__ */ createAwsSigner();

/** There are neither a key nor credentials for a request to AWS. */
class MissingCredentialsError extends SkeinError {
  override readonly name = 'MissingCredentialsError';
  readonly code = 'missing_key';

  constructor() {
    super(
      'No key and no credentials for AWS. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or register a signer with other credentials.',
    );
  }
}
