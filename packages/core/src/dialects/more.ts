import { googleInteractionsSpec } from './google-interactions/index.ts';
import { defineDialect } from './registry.ts';

// Protocols that the main entry leaves out. A run that needs one loads this file, and so does whoever records or serves.

/** Google's Interactions API of the Gemini models. */
export const googleInteractions = defineDialect(googleInteractionsSpec);
