/**
 * Every dialect and provider that Skein has, with the servers' side of each: for programs that read what any of them wrote,
 * such as stores and servers. Importing this entry defines them.
 */
import './bedrock.ts';
import './cohere.ts';
import './vertex.ts';
import { serve as bedrockConverse } from './dialects/bedrock-converse/serve.ts';
import { addServer } from './dialects/serve.ts';

addServer(bedrockConverse);
