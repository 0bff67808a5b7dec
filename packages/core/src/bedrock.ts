/**
 * Amazon Bedrock: the dialect of Converse, and the providers `bedrock` and `bedrock-invoke`. Importing this entry defines
 * them.
 */
import { addDialect } from './dialects/added.ts';
import { bedrockConverseSpec } from './dialects/bedrock-converse/index.ts';
import { bedrockInvoke } from './dialects/bedrock-converse/invoke.ts';
import { bedrock } from './dialects/bedrock-converse/provider.ts';
import type { Dialect } from './dialects/dialect.ts';
import { addProvider } from './providers/added.ts';
import { signV4 } from './providers/transport/aws-signer.ts';
import { registerSigner } from './providers/transport/signers.ts';

/**
 * Bedrock's Converse API, with which models of all makers are asked in one form.
 *
 * @example
 * import '@skein/core/bedrock';
 * const answer = await run({ model: 'bedrock/us.amazon.nova-lite-v1:0', messages: [user('Hello')] }).text;
 */
export const bedrockConverse: Dialect = addDialect(bedrockConverseSpec);

addProvider(bedrock);
addProvider(bedrockInvoke);
registerSigner('aws-sigv4', signV4);

export { type AwsCredentials, createAwsSigner } from './providers/transport/aws-signer.ts';
