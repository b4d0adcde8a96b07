/** Vitest's set-up of the tests that drive the built program. */
import { buildIfOlder } from './fresh.mjs';

export default function setup() {
  buildIfOlder();
}
