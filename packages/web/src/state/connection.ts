import { create } from 'zustand';

/** Whether the change feed is heard. While it is not, what is shown may be old. */
export const useConnection = create<{ readonly isConnected: boolean }>(() => ({ isConnected: true }));
