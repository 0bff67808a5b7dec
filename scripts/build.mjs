// Builds the packages with tsdown's function, because its command warns about Node 20, which Skein supports, on every run.
import { build } from 'tsdown';

await build({ logLevel: 'warn' });
