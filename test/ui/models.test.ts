import { describe, expect, it } from 'vitest';
import { createModels, createModelsScreen, type ModelRow } from '../../src/ui/screens/models/index.ts';
import { driveScreen } from '../support/screen.ts';

const configured: ModelRow[] = [
  { name: 'gpt-5-mini', kind: 'configured', model: 'gpt-5-mini', provider: 'OpenRouter', keyFrom: 'OPENROUTER_API_KEY', isCurrent: true },
  { name: 'custom:lab', kind: 'custom', provider: 'custom:lab', isCurrent: false, missing: 'name a model of it' },
  { name: 'anthropic:claude', kind: 'key', model: 'claude', provider: 'Anthropic', keyFrom: '.env', isCurrent: false },
];
const local: ModelRow[] = [{ name: 'ollama:qwen3:8b', kind: 'local', model: 'qwen3:8b', provider: 'Ollama', isCurrent: false }];
const variables = [{ provider: 'OpenAI', variables: ['OPENAI_API_KEY'] }];

function open(size = { width: 80, height: 24 }, rows = configured) {
  const models = driveScreen(createModelsScreen(), createModels(), size);
  expect(models.send({ type: 'shown' })).toEqual([{ type: 'load-models' }, { type: 'find-servers', token: 1 }]);
  models.send({ type: 'loaded', what: 'models', rows, variables, envPath: '~/.hermes/.env' });
  return models;
}

describe('the model chooser', () => {
  it('looks like this at 80x24, local servers at the end as they answer', () => {
    const models = open();
    expect(models.lines()[0]).toBe('▌Model   asking the servers of this machine …');
    models.send({ type: 'loaded', what: 'servers', token: 1, rows: local });
    expect(models.lines().slice(0, 9)).toEqual([
      '▌Model   4 models',
      ' OpenRouter · key in OPENROUTER_API_KEY · in use',
      ' ❯',
      '─'.repeat(80),
      '▌● gpt-5-mini                 OpenRouter          key in OPENROUTER_API_KEY',
      '   custom:lab                 custom:lab          own endpoint',
      '   claude                     Anthropic           key in .env',
      '   qwen3:8b                   Ollama              this machine',
      '',
    ]);
  });

  it('looks like this at 40x12', () => {
    const models = open({ width: 40, height: 12 });
    models.send({ type: 'loaded', what: 'servers', token: 1, rows: local });
    expect(models.lines().slice(4, 8)).toEqual(['▌● gpt-5-mini', '   custom:lab', '   claude', '   qwen3:8b']);
  });

  it('begins at the model in use and keeps its row while servers answer', () => {
    const models = open(undefined, [configured[1]!, configured[0]!]);
    expect(models.state().list.selected).toBe('gpt-5-mini');
    models.send({ type: 'loaded', what: 'servers', token: 1, rows: local });
    expect(models.state().list.selected).toBe('gpt-5-mini');
  });

  it('drops servers of an older request', () => {
    const models = open();
    models.send({ type: 'shown' }, { type: 'loaded', what: 'servers', token: 1, rows: local });
    expect(models.state().rows.length).toBe(3);
    expect(models.state().isAsking).toBe(true);
  });

  it('hands over the row that is taken, and says what one lacks that is not ready', () => {
    const models = open();
    models.press('down');
    expect(models.press('enter')).toEqual([]);
    expect(models.lines()[1]).toBe(' not yet: name a model of it');
    models.press('down');
    expect(models.press('enter')).toEqual([{ type: 'choose', name: 'anthropic:claude' }]);
  });

  it('filters by model, provider and where the key is', () => {
    const models = open();
    models.send({ type: 'loaded', what: 'servers', token: 1, rows: local });
    models.type('OLLAMA qwen');
    expect(models.state().list.ids).toEqual(['ollama:qwen3:8b']);
    models.press('ctrl+u');
    models.type('.env');
    expect(models.state().list.ids).toEqual(['anthropic:claude']);
  });

  it('asks for a model that is not in the list by the name typed', () => {
    const models = open();
    models.type('gpt-99');
    expect(models.text()).toContain('Enter asks for gpt-99 by that name');
    expect(models.press('enter')).toEqual([{ type: 'choose-by-name', name: 'gpt-99' }]);
  });

  it('says what to set when there is nothing', () => {
    const models = open(undefined, []);
    expect(models.text()).toContain('asking the servers');
    models.send({ type: 'loaded', what: 'servers', token: 1, rows: [] });
    expect(models.text()).toContain('No model is configured');
    expect(models.text()).toMatch(/OpenAI +OPENAI_API_KEY/);
    expect(models.press('enter')).toEqual([]);
  });

  it('closes with Esc', () => {
    expect(open().press('escape')).toEqual([{ type: 'close' }]);
  });
});
