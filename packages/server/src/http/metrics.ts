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
  skein_generations_running: ['gauge', 'Generations that run in this server'],
  skein_proxy_streams: ['gauge', 'Exchanges under way'],
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
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(String(value))}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
