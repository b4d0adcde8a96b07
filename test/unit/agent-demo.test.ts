import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { demoAnswers } from '../../fixtures/models/demo-answers.ts';
import { startDemoModel } from '../../scripts/demo-model.ts';
import { createModelClient } from '../../src/agent/clients.ts';

let model: Awaited<ReturnType<typeof startDemoModel>>;
beforeAll(async () => {
  model = await startDemoModel();
});
afterAll(() => model.stop());

/** The beginning of an answer: the rest would take as long as a real model. */
async function ask(question: string): Promise<string> {
  let text = '';
  const choice = { model: 'demo', api: 'openai-compatible', provider: 'custom:demo', baseUrl: model.url } as const;
  const prompt = [{ role: 'user' as const, content: question }];
  const signal = new AbortController().signal;
  for await (const part of createModelClient({ now: () => 0 }).stream({ choice, system: 'x', prompt, tools: [], signal })) {
    if (part.type === 'text') text += part.delta;
    if (text.length > 12) break;
  }
  return text;
}

describe('the scripted model of the demo', () => {
  it.each([
    ['now add tests for the expiry path', 'The expiry'],
    ['How do we do caching?', '# Caching'],
    ['토큰 만료를 고쳐 줘', '만료'],
    ['어제 회의록 정리해 줘', '회의'],
    ['colourless green ideas', 'You wrote'],
    ['무엇이든', '"무엇이든"'],
  ])('answers “%s”', async (question, beginning) => {
    expect(await ask(question)).toContain(beginning);
  });

  it('has a line for every topic, and no two for the same words', () => {
    expect(demoAnswers.length).toBeGreaterThanOrEqual(24);
    expect(new Set(demoAnswers.map(({ answer }) => answer)).size).toBe(demoAnswers.length);
  });
});
