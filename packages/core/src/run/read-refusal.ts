// A module of its own, because the main entry has these, too, and could not be loaded without them otherwise.
export { RefusalMemory } from '../providers/refusal-memory.ts';
export { refusedFields } from '../providers/refused-fields.ts';
