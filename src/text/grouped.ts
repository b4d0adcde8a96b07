/** `12,345`: thousands apart. `toLocaleString` would do, but its first call costs 5 to 15 ms of the first frame. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
