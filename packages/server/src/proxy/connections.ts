import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

/** Connections to providers, kept for the next request. */
export interface Connections {
  agentOf(protocol: string): http.Agent;
  /** A connection has brought an answer: its server may say how long it keeps it. */
  answered(socket: Duplex | null, { headers }: http.IncomingMessage): void;
  close(): void;
}

/**
 * How long an idle connection is kept where its server says nothing. Servers on this machine or beside it often close
 * after five seconds, what stands in front of hosted ones after a minute or more.
 */
const IDLE_MS = { http: 4000, https: 50_000 };
const LONGEST_MS = 600_000;
/** So much earlier than the server, so that none is used that is being closed. */
const MARGIN_MS = 1000;

export function createConnections(): Connections {
  const kept = new WeakMap<Duplex, number>();
  const options = { keepAlive: true, timeout: LONGEST_MS, scheduling: 'lifo' as const };
  const keeping = <A extends http.Agent>(agent: A, otherwise: number): A => {
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
    agent.keepSocketAlive = (socket) => {
      const idle = kept.get(socket) ?? otherwise;
      if (idle <= 0 || !keep(socket)) return false;
      (socket as { setTimeout?: (ms: number) => void }).setTimeout?.(idle);
      return true;
    };
    return agent;
  };
  const plain = keeping(new http.Agent(options), IDLE_MS.http);
  const secure = keeping(new https.Agent(options), IDLE_MS.https);
  return {
    agentOf: (protocol) => (protocol === 'https:' ? secure : plain),
    answered(socket, { headers }) {
      const seconds = /(?:^|[\s,])timeout=(\d+)/i.exec(String(headers['keep-alive']))?.[1];
      if (socket && seconds !== undefined) kept.set(socket, Math.min(Number(seconds) * 1000 - MARGIN_MS, LONGEST_MS));
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}
