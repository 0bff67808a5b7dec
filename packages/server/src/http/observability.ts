import { type BacklogState, RecordingError } from '@skein/forest';

/** One line of JSON for each thing that happened. Neither bodies nor secrets go in. */
export interface Log {
  info(event: string, facts?: Readonly<Record<string, unknown>>): void;
  error(event: string, error: unknown, facts?: Readonly<Record<string, unknown>>): void;
}

/**
 * A log that writes its lines with the given function.
 *
 * @example
 * const log = createLog((line) => process.stderr.write(`${line}\n`));
 * createServer({ forest, config, log });
 */
export function createLog(write: (line: string) => void, now: () => Date = () => new Date()): Log {
  const line = (level: string, event: string, facts: Readonly<Record<string, unknown>> = {}) =>
    write(JSON.stringify({ time: now().toISOString(), level, event, ...facts }));
  return {
    info: (event, facts) => line('info', event, facts),
    error(event, error, facts) {
      const { name, message, code, stack } = (error ?? {}) as Partial<Error> & { code?: unknown };
      const text = name === undefined ? String(error) : `${name}: ${message}`;
      line('error', event, { ...facts, error: text, ...(code !== undefined && { code }), ...(stack && { stack }) });
    },
  };
}

export const silentLog: Log = { info: () => undefined, error: () => undefined };

/** Counters and gauges, in the text form that Prometheus reads. */
export interface Metrics {
  count(name: MetricName, labels?: Labels, by?: number): void;
  gauge(name: MetricName, read: () => number): void;
  text(): string;
}

type Labels = Readonly<Record<string, string | number>>;

const HELP = {
  skein_requests_total: ['counter', 'Requests by route and status'],
  skein_proxy_exchanges_total: ['counter', 'Exchanges through the proxy by provider and outcome'],
  skein_recording_failures_total: ['counter', 'Exchanges that could not be recorded'],
  skein_undecodable_total: ['counter', 'Bodies of exchanges whose encoding is not known'],
  skein_gateway_requests_total: ['counter', 'Requests to the gateway by client, token, route and status'],
  skein_gateway_tokens_total: ['counter', 'Tokens of the gateway by token, route and kind: input, cached, output'],
  skein_gateway_cost_dollars_total: ['counter', 'List price of what the gateway answered, by token and route'],
  skein_gateway_losses_total: ['counter', 'What requests and replies lost between protocols, by reason'],
  skein_gateway_fallbacks_total: ['counter', 'Targets that did not answer, by provider and reason'],
  skein_generations_running: ['gauge', 'Generations that run in this server'],
  skein_proxy_streams: ['gauge', 'Exchanges under way'],
  skein_recordings_waiting: ['gauge', 'Recorded exchanges that wait for the store'],
  skein_recordings_waiting_bytes: ['gauge', 'Bytes of them that are in memory'],
  skein_resident_bytes: ['gauge', 'Memory of the process'],
} as const;

type MetricName = keyof typeof HELP;

export function createMetrics(): Metrics {
  const counters = new Map<MetricName, Map<string, number>>();
  const gauges = new Map<MetricName, () => number>([['skein_resident_bytes', () => process.memoryUsage.rss()]]);
  return {
    count(name, labels = {}, by = 1) {
      const values = counters.get(name) ?? new Map<string, number>();
      const key = labelText(labels);
      values.set(key, (values.get(key) ?? 0) + by);
      counters.set(name, values);
    },
    gauge(name, read) {
      gauges.set(name, read);
    },
    text() {
      const lines = Object.entries(HELP).flatMap(([name, [type, help]]) => {
        const values: (readonly [string, number])[] = [...(counters.get(name as MetricName) ?? [])];
        const gauge = gauges.get(name as MetricName);
        if (gauge) values.push(['', gauge()]);
        if (values.length === 0) return [];
        return [
          `# HELP ${name} ${help}`,
          `# TYPE ${name} ${type}`,
          ...values.map(([key, value]) => `${name}${key} ${value}`),
        ];
      });
      return `${lines.join('\n')}\n`;
    },
  };
}

function labelText(labels: Labels): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '{' : ','}${name}=${quote(String(labels[name]))}`;
  return text === '' ? '' : `${text}}`;
}

/** Counting goes on with every request, and few values need more than quotes. */
function quote(value: string): string {
  return /^[\w ./*:-]*$/.test(value) ? `"${value}"` : JSON.stringify(value);
}

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
      count += exchangeCount(error);
      last = error instanceof Error ? error.message : String(error);
    },
    summary: () => (count === 0 ? undefined : `${count} times an exchange could not be recorded; last: ${last}`),
  };
}

/** How many exchanges an error of a recorder is about. */
export function exchangeCount(error: unknown): number {
  return error instanceof RecordingError && error.exchanges.length > 0 ? error.exchanges.length : 1;
}

/** What waits for the store, in words; undefined if nothing does. */
export function describeWaiting({ exchanges, bytes, folder, isUnplaced, reason }: BacklogState): string | undefined {
  if (exchanges.length === 0)
    return isUnplaced && reason !== '' ? `Recordings wait for their place in the tree: ${reason}` : undefined;
  const many = exchanges.length === 1 ? 'One recorded exchange waits' : `${exchanges.length} recorded exchanges wait`;
  const places = [...(folder === undefined ? [] : [folder]), ...(bytes > 0 ? ['memory'] : [])];
  return `${many} for the store in ${places.join(' and ')}: ${reason}`;
}
