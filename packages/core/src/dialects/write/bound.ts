import type { Message } from '../../message/index.ts';
import type { LossReason } from '../loss.ts';
import { forModel } from '../provider.ts';
import type { Target } from './writer.ts';

/** Why a message's opaque reasoning may not be sent to this target, or undefined when it may. */
export function boundElsewhere(message: Message, target: Target, dropBound: boolean): LossReason | undefined {
  if (dropBound) return 'prefix-bound';
  const boundTo = forModel(target.provider.policies.reasoningBoundTo, target.model);
  const { model, account } = message.origin;
  if (boundTo.includes('model') && model !== undefined && !sameModelFamily(model, target.model)) return 'model-bound';
  if (
    boundTo.includes('account') &&
    account !== undefined &&
    target.account !== undefined &&
    account !== target.account
  )
    return 'account-bound';
  return undefined;
}

/** Whether opaque reasoning for this target must stand behind the prefix it was made with. */
export function isPrefixBound(target: Target): boolean {
  return forModel(target.provider.policies.reasoningBoundTo, target.model).includes('prefix');
}

/** Whether two names mean the same model: dates, `latest` and the path before the name aside. */
function sameModelFamily(a: string, b: string): boolean {
  return family(a) === family(b);
}

function family(model: string): string {
  return model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
    .toLowerCase();
}
