import type { ServerState } from '../dialect.ts';

/** Stored interactions. System text and tools are sent with every request. */
export const serverState: ServerState = {
  members: (previous) => ({ store: true, ...(previous !== undefined && { previous_interaction_id: previous }) }),
  keeps: [],
  continuesWithoutList: true,
  recovery: (status) => (status === 404 ? 'again' : undefined),
};
