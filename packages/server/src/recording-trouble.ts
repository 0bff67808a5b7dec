/** What could not be recorded: clients of the proxy do not notice, so it is shown elsewhere. */
export interface RecordingTrouble {
  report(error: unknown): void;
  /** In words; undefined while there is none. */
  summary(): string | undefined;
}

export function createRecordingTrouble(): RecordingTrouble {
  let count = 0;
  let last = '';
  return {
    report(error) {
      count++;
      last = error instanceof Error ? error.message : String(error);
    },
    summary: () => (count === 0 ? undefined : `${count} times an exchange could not be recorded; last: ${last}`),
  };
}
