import { grouped } from './grouped.ts';

/** US dollars: `$0`, `$0.0042` below a cent, `$12.30`, `$1,204.00`. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.01) return usd < 0.0001 ? '<$0.0001' : `$${usd.toFixed(4)}`;
  const [whole = '0', cents = '00'] = usd.toFixed(2).split('.');
  return `$${grouped(Number(whole))}.${cents}`;
}
