/**
 * The stamp of what a source said at a time of its own: importing it again changes nothing, a later state of the
 * source wins, and so does whatever was changed here since.
 */
export function sourceStamp(at: number): string {
  return `${Math.max(0, Math.floor(at)).toString(36).padStart(9, '0')}.0000.import`;
}
