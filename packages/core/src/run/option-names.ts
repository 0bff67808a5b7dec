/** What `run` takes; a test holds it to the type. */
export const OPTION_NAMES =
  'model fallback system messages tools params output extraBody stream limits stopWhen signal approvals compaction ' +
  'checkpoints outgoing cache previous strict timeouts retry costOf modelLimits refusals observer observePayloads clock ' +
  'random apiKey baseUrl account extraHeaders env fetch';
