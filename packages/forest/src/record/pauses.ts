/** The exchanges that pass through a process, for work that gives way to them. */
export interface Traffic {
  begin(): void;
  end(): void;
  /**
   * Whether an exchange is under way, or one may follow: the last one had followed another within these milliseconds, and has ended
   * less than that ago.
   */
  isPassing(pauseMs: number): boolean;
}

export function createTraffic(): Traffic {
  let underWay = 0;
  let ended = Number.NEGATIVE_INFINITY;
  /** How long nothing had passed before the last exchange, or those that passed together with it. */
  let pause = Number.POSITIVE_INFINITY;
  return {
    begin() {
      if (underWay === 0) pause = performance.now() - ended;
      underWay++;
    },
    end() {
      underWay--;
      ended = performance.now();
    },
    isPassing: (pauseMs) => underWay > 0 || (pause < pauseMs && performance.now() < ended + pauseMs),
  };
}

/** Work that is put off until a pause of the traffic. */
export interface PutOffWork {
  /** Does it at once where nothing passes, otherwise in the next pause. */
  plan(): void;
  cancel(): void;
  readonly isPlanned: boolean;
}

interface PutOffOptions {
  /** How long nothing has passed when it is done: programs that ask one thing after the other leave no longer gaps. */
  readonly pauseMs: number;
  /** When it is done even if the traffic has no pause. */
  readonly latestMs: number;
}

/**
 * Puts work off until no exchange has passed for a moment. A client that sends its next request as soon as it has an answer would
 * otherwise wait for what is still to be done for the last one.
 */
export function putOff(traffic: Traffic, { pauseMs, latestMs }: PutOffOptions, work: () => void): PutOffWork {
  let timer: NodeJS.Timeout | undefined;
  let latest = 0;
  const look = () => {
    timer = undefined;
    const left = latest - performance.now();
    if (left <= 0 || !traffic.isPassing(pauseMs)) work();
    else wait(left);
  };
  // Looking every few milliseconds costs less than another timer for each exchange.
  const wait = (left: number) => {
    timer = setTimeout(look, Math.min(pauseMs, left));
  };
  const cancel = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    plan() {
      if (!traffic.isPassing(pauseMs)) {
        cancel();
        work();
        return;
      }
      if (timer) return;
      latest = performance.now() + latestMs;
      wait(latestMs);
    },
    cancel,
    get isPlanned() {
      return timer !== undefined;
    },
  };
}
