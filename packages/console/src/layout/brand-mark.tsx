import { m } from '../paraglide/messages';

/** The thrush on its tile (packages/service-kit/src/brand/mark.ts), beside the name. */
export function BrandMark() {
  return (
    <span className="inline-flex items-center gap-2 text-lg font-semibold tracking-tight">
      <img src="/console/favicon.svg" alt="" className="size-7" />
      {m.shell_brand()}
    </span>
  );
}
