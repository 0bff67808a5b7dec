import { calcPrice, findProvider, type ModelPrice } from '@pydantic/genai-prices';
import type { ModelInfo } from '../models/model-info.ts';
import { modelInfo } from '../models/model-info.ts';
import { provider, providers } from '../registry.ts';

export interface Entry {
  readonly prices: ModelPrice;
  readonly contextTokens: number | undefined;
}

/** A model in the list of this provider. What another one charges for the same model would be a guess. */
export function entryOf(providerId: string, model: string, at: Date | undefined): Entry | undefined {
  const listed = listOf(providerId);
  if (!listed) return undefined;
  const found = calcPrice({}, model, { provider: listed, ...(at && { timestamp: at }) });
  if (!found) return undefined;
  return { prices: found.model_price, contextTokens: found.model.context_window };
}

/** Whether the list has this provider at all. */
export function isListed(providerId: string): boolean {
  return listOf(providerId) !== undefined;
}

/** The models that the list has of a provider, by their ids there. */
export function listedModels(providerId: string): readonly string[] {
  return listOf(providerId)?.models.map(({ id }) => id) ?? [];
}

/** What core knows of a model, with the context that the list has for it; where it has none, that of its family. */
export function modelInfoWithLimits(providerId: string, model: string): ModelInfo {
  const info = modelInfo(provider(providerId), model);
  const contextTokens = entryOf(providerId, model, undefined)?.contextTokens;
  return contextTokens === undefined ? info : { ...info, known: true, contextTokens };
}

/** What the price list has of a provider, by the name that it has there. */
function listOf(id: string) {
  const known = providers().find((one) => one.id === id);
  return findProvider({ providerId: known?.names?.prices ?? id });
}
