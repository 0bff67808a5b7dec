/**
 * Cassettes: recorded exchanges as files that people review and tests replay. `cassette-folder` loads them into a forest in
 * memory and writes new ones, `cassette-file` is the form of one file, `ignore-rules` says what a replay does not compare, and `check-cassettes`
 * compares them with recorded requests.
 */
export { CassetteError } from './cassette-error.ts';
export {
  type CassetteFetch,
  type CassetteFetchOptions,
  type CassetteMode,
  type CassetteSummary,
  cassetteFetch,
  compareBy,
  createReplayCounter,
  type ReplayCounter,
} from './cassette-fetch.ts';
export {
  addIgnoreRules,
  type CassetteFolder,
  type CassetteOptions,
  openCassettes,
  removeCassettes,
  saveCassettes,
} from './cassette-folder.ts';
export {
  type CassetteCheck,
  type CassetteCheckOptions,
  checkCassettes,
  type DriftedRequest,
} from './check-cassettes.ts';
export { type IgnoreRule, learnIgnoreRules } from './ignore-rules.ts';
