import { joinManifest, type Message, type Step } from '@skein/core';
import type { TakeFacts } from '../forest/types.ts';
import { type BodyRecord, isMessage, sha256, storeManifest } from '../model/index.ts';
import type { History } from './history.ts';

/** What a reply says of itself, and the texts that its exact request is put together from. */
export function takeOfStep(
  step: Step,
  sent: readonly Message[],
  known: ReadonlySet<string>,
  previous: History['previous'],
  about: Pick<TakeFacts, 'generation' | 'params' | 'thread'> & {
    readonly tools: BodyRecord | undefined;
    readonly replacesLead: boolean;
  },
): { take: TakeFacts; bodies: readonly BodyRecord[]; stored: NonNullable<History['previous']> } {
  const { manifest, provider, model, usage, estimated, cost, stop, envelope, requestId, durationMs, firstEventMs } =
    step;
  const [head, stored] = storeManifest(manifest, previous);
  const body = joinManifest(manifest, (index) => sent[index]!.raw);
  const others = sent.filter(({ facts }) => !known.has(facts.digest));
  const { tools, replacesLead, ...facts } = about;
  const take: TakeFacts = {
    via: 'generate',
    author: 'model',
    ...facts,
    context: {
      system: leadingSystem(sent).map(({ origin, facts: of }) => ({ dialect: origin.dialect, body: of.digest })),
      ...(replacesLead && { replacesLead }),
      ...(tools && { tools: tools.digest }),
    },
    provider,
    model,
    stop,
    durationMs,
    envelope: sha256(envelope),
    request: { manifest: stored.digest, sha256: sha256(body) },
    ...(usage && { usage }),
    ...(estimated && { estimated }),
    ...(cost !== undefined && { cost }),
    ...(requestId !== undefined && { requestId }),
    ...(firstEventMs !== undefined && { firstEventMs }),
  };
  const bodies = [
    ...others.map(({ raw, facts }) => ({ k: 'body' as const, digest: facts.digest, text: raw })),
    { k: 'body' as const, digest: sha256(envelope), text: envelope },
    ...(tools ? [tools] : []),
    head,
    stored,
  ];
  return { take, bodies, stored: { digest: stored.digest, manifest } };
}

function leadingSystem(sent: readonly Message[]): readonly Message[] {
  const end = sent.findIndex(({ role }) => role !== 'system');
  return end < 0 ? sent : sent.slice(0, end);
}

/** A reply and its alternatives. They share a request, and what was spent is said once: of the reply. */
export function besideEachOther({ message, alternatives }: Pick<Step, 'message' | 'alternatives'>, take: TakeFacts) {
  const { usage: _usage, cost: _cost, estimated: _estimated, ...shared } = take;
  const others = alternatives.filter(isMessage);
  return [
    { message, take },
    ...others.map((other) => ({ message: other.message, take: { ...shared, stop: other.stop } })),
  ];
}
