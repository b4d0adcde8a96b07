/**
 * Reads vitest's JSON report. A file that could not even be loaded has no tests in it and counts as one failure.
 * @param {string} json
 * @returns {{ passed: number, failed: number, skipped: string[] }}
 */
export function countTests(json) {
  const report = JSON.parse(json);
  const counts = { passed: 0, failed: 0, skipped: [] };
  for (const file of report.testResults) {
    let failedHere = 0;
    for (const test of file.assertionResults) {
      if (test.status === 'passed') counts.passed += 1;
      else if (test.status === 'failed') failedHere += 1;
      else counts.skipped.push(test.fullName);
    }
    if (file.status === 'failed' && failedHere === 0) failedHere = 1;
    counts.failed += failedHere;
  }
  return counts;
}
