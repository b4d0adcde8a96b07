export const rootText = {
  tooSmall: (width: number, height: number, leastWidth: number, leastHeight: number): string =>
    `hermes needs ${leastWidth}x${leastHeight}, this is ${width}x${height}`,
} as const;
