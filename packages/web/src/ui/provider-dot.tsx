import { providerText } from './colors.ts';

/** A dot in the colour of a provider, before the name of a model. */
export function ProviderDot({ provider }: { readonly provider: string | undefined }) {
  return <span aria-hidden className={`size-2 shrink-0 rounded-full bg-current ${providerText(provider)}`} />;
}
