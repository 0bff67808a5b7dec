// Builds the packages by tsdown's own function. Its command warns whoever has Node 20, which Skein supports, on every run.
import { build } from 'tsdown';

await build({ logLevel: 'warn' });
