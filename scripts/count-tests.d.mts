export function countTests(json: string): { passed: number; failed: number; skipped: string[] };
