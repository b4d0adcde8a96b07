interface Metafile {
  outputs: Record<
    string,
    { bytes: number; entryPoint?: string; imports: { path: string; kind: string; external?: boolean }[]; inputs: Record<string, unknown> }
  >;
}

export interface StartUpSet {
  name: string;
  modules: readonly string[];
  maxBytes: number;
}

export interface MeasuredSet {
  name: string;
  maxBytes: number;
  missing: string[];
  chunks: string[];
  bytes: number;
  modules: string[];
}

export const lazyPackages: readonly string[];
export const startUpSets: readonly StartUpSet[];
export function measureStartUp(metafile: Metafile, sets?: readonly StartUpSet[]): MeasuredSet[];
export function findStartUpFaults(measured: readonly MeasuredSet[]): string[];
