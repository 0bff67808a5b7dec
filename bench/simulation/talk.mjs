// One conversation of a program, with whatever goes wrong in it: questions, tools, edits, retries, summaries.
import { createHash } from 'node:crypto';
import { WIRE } from './wire.mjs';
import { answerText, bodyHints, EXAMPLES, question, requestHeaders, systemText } from './world.mjs';

/** @import { SimulatedExchange } from './conversations.mjs' */
/** @import { Said } from './wire.mjs' */
/** @import { App, Chance } from './world.mjs' */

export const SAME_TURNS = 'the last turns alone were sent, and others have the same';

/** @param {string} before @param {unknown} more */
function key(before, more) {
  return createHash('sha1')
    .update(`${before}\n${JSON.stringify(more)}`)
    .digest('base64');
}

/** @typedef {{ sent: readonly Said[], more?: object, follows: readonly string[], evidence: string }} Sent */

/** @typedef {{ app: App, user: number, at: number, session: string, by: Chance, name: string, exchanges: SimulatedExchange[], span: number, skew: number, agent?: string | undefined }} TalkOptions */

/** One conversation: what was said, and when. */
export class Talk {
  /** @param {TalkOptions} options */
  constructor(options) {
    const { app, user, at, session, by, name, agent } = options;
    this.options = options;
    this.app = app;
    this.by = by;
    this.user = user;
    this.at = at;
    this.session = session;
    this.name = name;
    this.agent = agent;
    this.mode = 'careful';
    /** @type {Said[]} what the client sends, examples aside */
    this.said = [];
    /** @type {string[]} for each of those a key of all up to it */
    this.keys = [];
    /** @type {(string | undefined)[]} for each the id of the response that it is */
    this.responses = [];
    this.previous = undefined;
    this.turns = 0;
    /** Only what tells conversations apart: two with the same key are interchangeable. */
    const person =
      { nobody: '', label: '', user: `user ${user}`, named: name }[/** @type {string} */ (app.says)] ??
      `${user} ${session}`;
    this.origin = key('origin', [app.id, person, agent, app.system === 'customer' && user, app.keeps && name]);
  }

  /** @param {string} opening */
  run(opening) {
    const { by, app } = this;
    const isSession = app.says === 'claude-code' || app.says === 'opencode';
    if (isSession && !this.agent && by.is(0.7)) this.#sideCall(opening);
    const turns = by.is(0.25) ? 1 : by.between(2, by.is(0.15) ? 12 : 6);
    this.#turn(opening);
    while (this.turns < turns) {
      this.at += by.is(0.3) ? by.between(20, 900) : by.between(1000, 90_000);
      this.#act();
      if (isSession && !this.agent && by.is(0.15)) this.#subagent();
    }
  }

  #act() {
    const { by, app } = this;
    const last = this.said.findLastIndex(({ role }) => role === 'user');
    const act = by.next();
    const canRewind = app.keeps !== 'conversation';
    if (act < 0.05 && canRewind) return this.#turn(question(by, false), by.one(this.#questions()));
    if (act < 0.09 && canRewind) return this.#turn(/** @type {Said} */ (this.said[last]).text, last);
    if (act < 0.12 && [6, 8, 10, 11].includes(app.id)) this.mode = by.one(['careful', 'quick', 'kind']);
    if (act < 0.15 && (app.says === 'claude-code' || app.says === 'opencode') && !this.agent) this.session = by.id(16);
    if (this.turns > 4 && app.says === 'claude-code' && by.is(0.4)) return this.#sumUp();
    return this.#turn(question(by, false));
  }

  #questions() {
    return this.said.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  }

  /**
   * A question and its answer, with whatever goes wrong in between and the tools that are called.
   * @param {string} text
   * @param {number} [from] where an earlier message is written anew
   */
  #turn(text, from = this.said.length) {
    this.said.length = from;
    this.keys.length = from;
    this.responses.length = from;
    this.turns += 1;
    this.#say({ role: 'user', text });
    for (let calls = 0; ; calls++) {
      const { by, app } = this;
      const isCall = app.calls !== undefined && calls < 2 && by.is(0.35);
      const reply = this.#reply(text, isCall);
      const choices =
        isCall || app.dialect !== 'chat' || !by.is(0.06) ? [reply] : [this.#reply(`${text}?`, false), reply];
      const content = this.#content();
      this.#fail(reply, content);
      this.#send(choices, content);
      this.#say(reply);
      if (!isCall) return;
      this.at += by.between(5, 400);
      this.#say({
        role: 'result',
        text: `Found ${by.between(1, 9)} of them.`,
        call: /** @type {string} */ (reply.call),
      });
    }
  }

  /** @param {Said} said */
  #say(said) {
    this.keys.push(this.#next(this.keys.at(-1) ?? this.origin, said));
    this.said.push(said);
    this.responses.push(said.role === 'assistant' ? this.previous : undefined);
  }

  /** @param {string} before @param {Said} said */
  #next(before, { role, text, call, signature, item, compacted }) {
    return key(before, [role, text.trim(), call, signature, item, compacted]);
  }

  /** @param {string} asked @param {boolean} isCall @returns {Said} */
  #reply(asked, isCall) {
    const { app, by } = this;
    const id = app.calls === 'call_0' ? 'call_0' : `call_${by.id(20)}`;
    return {
      role: 'assistant',
      text: isCall ? by.one(['kites', 'boats']) : answerText(app, by, asked),
      ...(isCall && { call: id }),
      ...(app.signs && { signature: `sig${by.id(60)}` }),
      ...(app.dialect === 'responses' && { item: by.id(24) }),
      ...(app.id === 13 && this.turns > 4 && by.is(0.3) && { compacted: by.id(80) }),
    };
  }

  /**
   * Sometimes the same request is refused or cut first.
   * @param {Said} reply
   * @param {Sent} content
   */
  #fail(reply, content) {
    const { by } = this;
    this.retry = undefined;
    const fault = by.next();
    if (fault < 0.03) {
      this.#emit({ ...content, reply: '{"error":{"message":"overloaded"}}', status: 529, replies: [], took: 300 });
      this.at += by.between(200, 3000);
    } else if (fault < 0.07) {
      const cutKey = key(/** @type {string} */ (this.keys.at(-1)), 'cut');
      const wire = /** @type {(typeof WIRE)[string]} */ (WIRE[this.app.dialect]);
      const { end, body, system } = this.#emit({
        ...content,
        reply: wire.cut(by.id(12), reply),
        outcome: 'cut',
        replies: [cutKey],
        took: by.between(200, 20_000),
      });
      this.at += by.is(0.1) ? by.between(61_000, 200_000) : by.between(100, 20_000);
      this.retry = { key: cutKey, end, body, system, isCounted: by.is(0.5) };
    }
  }

  /**
   * @param {readonly Said[]} choices the last is gone on with
   * @param {Sent} content
   */
  #send(choices, content) {
    const { by } = this;
    const id = by.id(20);
    const wire = /** @type {(typeof WIRE)[string]} */ (WIRE[this.app.dialect]);
    const before = /** @type {string} */ (this.keys.at(-1));
    this.#emit({
      ...content,
      reply: JSON.stringify(wire.reply(id, choices)),
      replies: choices.map((said) => this.#next(before, said)),
      took: by.between(150, 9000),
    });
    this.retry = undefined;
    this.previous = `resp_${id}`;
  }

  /** What is sent, which reply that follows, and how one could know. @returns {Sent} */
  #content() {
    const { app, said, keys } = this;
    const last = said.findLastIndex(({ role }) => role === 'assistant');
    const follows = last < 0 ? [] : [/** @type {string} */ (keys[last])];
    if (app.keeps) {
      const previous = last < 0 ? undefined : this.responses[last];
      const kept =
        app.keeps === 'response' ? { previous_response_id: previous } : { conversation: `conv_${this.name}` };
      return {
        sent: said.slice(last + 1),
        more: app.keeps === 'response' && previous === undefined ? {} : kept,
        follows,
        evidence: 'name',
      };
    }
    if (app.says === 'codex' || app.says === 'named') return { sent: said, follows, evidence: 'name' };
    const from = this.#window(last);
    const sent = said.slice(from);
    const own = sent.filter(({ role }) => role === 'assistant');
    const isProof = own.some(
      ({ call, signature, item }) =>
        (call !== undefined && call !== 'call_0') || signature !== undefined || item !== undefined,
    );
    if (last < 0 || isProof) return { sent, follows, evidence: 'proof' };
    if (this.sessionOf(last) !== this.session) return { sent, follows, evidence: 'another session, and no proof' };
    if (this.modeAt(last) !== this.mode) {
      const long = own.filter(({ text }) => text.length >= 80).length;
      return { sent, follows, evidence: long > 1 && from === 0 ? 'words' : 'another system text, and no proof' };
    }
    if (from === 0) return { sent, follows, evidence: 'words' };
    // What is sent looks like a conversation that began with it: one that did is not told apart.
    const begun = sent.slice(0, last + 1 - from).reduce((before, one) => this.#next(before, one), this.origin);
    if (own.length < 2) return { sent, follows: [...follows, begun], evidence: 'one turn alone was sent' };
    return {
      sent,
      follows: [...follows, begun],
      evidence: app.isStock ? SAME_TURNS : 'words',
    };
  }

  /** Where what is sent begins: some apps send the last turns only, or what follows a provider's summary. @param {number} last */
  #window(last) {
    if (this.app.id === 13)
      return Math.max(
        0,
        this.said.findLastIndex(({ compacted }) => compacted !== undefined),
      );
    if (!this.app.trims || last < 0 || this.turns < 5) return 0;
    const asked = this.#questions();
    return asked.at(this.by.is(0.1) ? -2 : -3) ?? 0;
  }

  /** @type {{ at: number, session: string, mode: string }[]} */
  contexts = [];

  /** @param {number} index */
  sessionOf(index) {
    return this.contexts.findLast(({ at }) => at <= index)?.session ?? this.session;
  }

  /** @param {number} index */
  modeAt(index) {
    return this.contexts.findLast(({ at }) => at <= index)?.mode ?? this.mode;
  }

  /**
   * @param {{ sent: readonly Said[], more?: object, follows: readonly string[], evidence: string, reply: string, status?: number,
   *   outcome?: 'done' | 'cut', replies: readonly string[], took: number, system?: string, hasTools?: boolean, conversation?: string }} exchange
   * @returns {{ end: number, body: string, system: string | undefined }} its end by its server's clock, and what was sent
   */
  #emit({
    sent,
    more,
    follows,
    evidence,
    reply,
    status = 200,
    outcome = 'done',
    replies,
    took,
    conversation = this.name,
    ...given
  }) {
    const { app, by, user } = this;
    const { exchanges, span, skew } = this.options;
    const server = by.is(0.5) ? 1 : 0;
    const start = this.at + server * skew;
    const system = this.retry
      ? this.retry.system
      : 'system' in given
        ? given.system
        : systemText(app, { at: this.at, user, mode: this.mode, count: this.turns });
    this.at += took;
    const end = start + took;
    const hasTools = given.hasTools ?? app.calls !== undefined;
    const wire = /** @type {(typeof WIRE)[string]} */ (WIRE[app.dialect]);
    const content = wire.body({
      said: [...(app.hasExamples ? EXAMPLES : []), ...sent],
      system,
      hasTools,
      model: 'm-1',
    });
    // SDKs send the same bytes again.
    const body = this.retry?.body ?? JSON.stringify({ ...content, ...bodyHints(this), ...more });
    const retry = this.retry && isTimely(this.retry, start) ? this.retry : undefined;
    const lateness = by.next();
    const arrives = this.at + (lateness < 0.0002 ? by.between(0, span) : lateness < 0.02 ? by.between(0, 600_000) : 0);
    this.contexts = [
      ...this.contexts.filter(({ at }) => at < this.said.length),
      { at: this.said.length, session: this.session, mode: this.mode },
    ];
    exchanges.push({
      index: exchanges.length,
      server,
      at: start - server * skew,
      start,
      end,
      arrives,
      url: wire.url,
      headers: [
        ...requestHeaders(this),
        ...(retry?.isCounted ? [/** @type {const} */ (['x-stainless-retry-count', '1'])] : []),
      ],
      body,
      reply,
      status,
      outcome,
      thread: app.says === 'named' ? `order-${this.name}` : undefined,
      truth: {
        app,
        conversation,
        program: app.says === 'claude-code' ? this.options.session : app.says === 'opencode' ? this.session : undefined,
        system,
        replies: status === 200 ? replies : [],
        follows: this.retry ? [...follows, this.retry.key] : follows,
        evidence: follows.length > 0 ? evidence : this.#beginning(retry !== undefined, conversation),
      },
    });
    return { end, body, system };
  }

  /** @param {boolean} isRetry @param {string} conversation */
  #beginning(isRetry, conversation) {
    if (isRetry) return 'retry';
    if (this.retry) return 'asked again long after it was cut';
    const { turns, app, name } = this;
    if (turns < 2 || conversation !== name) return 'opens';
    return app.says === 'named' || app.says === 'codex' || app.keeps === 'conversation'
      ? 'name'
      : 'the first message was edited or asked again';
  }

  /** A title, asked for on the side. @param {string} opening */
  #sideCall(opening) {
    const said = /** @type {Said} */ ({ role: 'assistant', text: `On ${opening}` });
    const wire = /** @type {(typeof WIRE)[string]} */ (WIRE[this.app.dialect]);
    this.#emit({
      sent: [{ role: 'user', text: `"${opening}"` }],
      follows: [],
      evidence: 'opens',
      reply: JSON.stringify(wire.reply(this.by.id(20), [said])),
      replies: [key('side', this.name)],
      took: 400,
      system: 'Generate a concise title for this conversation. Answer with the title alone.',
      hasTools: false,
      conversation: `${this.name} title`,
    });
  }

  #subagent() {
    const agent = this.by.id(8);
    new Talk({ ...this.options, session: this.session, at: this.at, agent, name: `${this.name} ${agent}` }).run(
      question(this.by, false),
    );
  }

  /** The client sums up, and sends its summary instead of what was said. */
  #sumUp() {
    const { by } = this;
    const words = Array.from({ length: 60 }, () =>
      by.one(['kites', 'boats', 'decided', 'bridges', 'because', 'ropes']),
    ).join(' ');
    this.#say({ role: 'user', text: 'Sum up all that was said and decided so far.' });
    const reply = { ...this.#reply('', false), text: `We spoke of ${words} and ${by.id(6)}.` };
    this.#send([reply], this.#content());
    this.#say(reply);
    const followed = /** @type {string} */ (this.keys.at(-1));
    this.at += by.between(500, 5000);
    this.said = [{ role: 'user', text: `This session is being continued.\n\n${reply.text}\n\n${question(by, false)}` }];
    this.keys = [key(followed, this.said)];
    this.responses = [undefined];
    this.contexts = [];
    this.turns += 1;
    const next = this.#reply('', false);
    const choice = this.#next(/** @type {string} */ (this.keys[0]), next);
    const wire = /** @type {(typeof WIRE)[string]} */ (WIRE[this.app.dialect]);
    this.#emit({
      sent: this.said,
      follows: [followed],
      evidence: 'words',
      reply: JSON.stringify(wire.reply(by.id(20), [next])),
      replies: [choice],
      took: 2000,
    });
    this.#say(next);
  }
}

/** @param {{ end: number, isCounted: boolean }} cut @param {number} start */
function isTimely({ end, isCounted }, start) {
  return isCounted || (start - end <= 60_000 && end - start <= 5000);
}
