import type { ServerState } from '../dialect.ts';

/** Stored responses. System text and tools are sent with every request. */
export const serverState: ServerState = {
  members: (previous, isBrief) => ({
    ...(!isBrief && { store: true }),
    ...(previous !== undefined && { previous_response_id: previous }),
  }),
  keeps: [],
  recovery: (_status, { code }) => (code === 'previous_response_not_found' ? 'again' : undefined),
};
