/** What the pictures show. Keys are those of xdotool. */

const dark = { ground: '#16161a', ink: '#dcdcdc' };
const light = { ground: '#ffffff', ink: '#24242a' };

/** Colours and terminals. xterm answers OSC 11 itself, so `auto` finds dark and light. */
export const looks = {
  dark,
  light,
  'dark-16': { ...dark, term: 'xterm' },
  'light-16': { ...light, term: 'xterm' },
  none: { ...dark, env: { NO_COLOR: '1' } },
  wide: { ...dark, xterm: ['-cjk_width'] },
};

const unreachable = [
  'model:',
  '  default: gpt-5-mini',
  '  provider: custom:there',
  'custom_providers:',
  '  - name: there',
  '    base_url: http://127.0.0.1:9/v1',
  '    api_key: x',
  '',
].join('\n');

/**
 * @type {ReadonlyArray<{
 *   name: string, home: 'demo' | 'fresh', args?: string[], steps?: string[], holder?: string[], gone?: string,
 *   cwd?: string, env?: Record<string, string>, files?: Record<string, string>, start?: number
 * }>}
 */
export const scenes = [
  {
    name: 'chat',
    home: 'demo',
    args: ['-r', 'refactoring auth'],
    steps: ['type now add tests for the expiry path', 'key Return', 'wait 9000', 'type and run them in watch mode'],
  },
  {
    name: 'chat-korean',
    home: 'demo',
    args: ['-r', '결제 화면 리팩터링'],
    steps: ['type 캐시는 어떻게 해야 하지?', 'key Return', 'wait 4000', 'type 그리고 테스트도 부탁해'],
  },
  { name: 'recap', home: 'demo', args: ['-c'] },
  { name: 'recap-korean', home: 'demo', args: ['-r', '회의록 정리'], cwd: 'notes' },
  { name: 'new', home: 'demo' },
  { name: 'picker', home: 'demo', steps: ['key ctrl+x', 'wait 500'] },
  { name: 'picker-everywhere', home: 'demo', steps: ['key ctrl+x', 'wait 300', 'key Tab', 'key alt+h', 'key Down Down Down', 'wait 500'] },
  { name: 'picker-filter', home: 'demo', steps: ['key ctrl+x', 'key Tab', 'type 결제', 'wait 300'] },
  { name: 'picker-no-match', home: 'demo', steps: ['key ctrl+x', 'type zebra quantum', 'wait 300'] },
  { name: 'picker-marks', home: 'demo', steps: ['key ctrl+x', 'key Tab', 'key Down', 'key Insert Insert Insert', 'wait 500'] },
  { name: 'picker-delete', home: 'demo', steps: ['key ctrl+x', 'key Tab', 'key Down Down Down', 'wait 300', 'key ctrl+d', 'wait 500'] },
  {
    name: 'picker-delete-marked',
    home: 'demo',
    steps: ['key ctrl+x', 'key Tab', 'key Insert Insert Insert Insert', 'type auth', 'key ctrl+d', 'wait 500'],
  },
  {
    name: 'picker-deleted',
    home: 'demo',
    steps: ['key ctrl+x', 'key Tab', 'key Down Down Down', 'key ctrl+d', 'wait 500', 'type y', 'wait 800'],
  },
  { name: 'picker-export', home: 'demo', steps: ['key ctrl+x', 'key Tab', 'key Down', 'key alt+e', 'wait 500'] },
  { name: 'picker-fields', home: 'demo', steps: ['key ctrl+x', 'key Tab', 'type is:archived OR source:telegram', 'wait 500'] },
  {
    name: 'rename-clash',
    home: 'demo',
    steps: ['key ctrl+x', 'key Tab', 'key Down', 'key ctrl+r', 'key ctrl+u', 'type refactoring auth', 'key Return', 'wait 500'],
  },
  { name: 'insights', home: 'demo', steps: ['type /insights 90', 'key Return', 'wait 800'] },
  { name: 'insights-end', home: 'demo', steps: ['type /insights 90', 'key Return', 'wait 500', 'key End', 'wait 300'] },
  { name: 'fresh-insights', home: 'fresh', steps: ['type /insights', 'key Return', 'wait 800'] },
  { name: 'search', home: 'demo', steps: ['key ctrl+f', 'type token', 'wait 800', 'key Down', 'wait 500'] },
  { name: 'search-korean', home: 'demo', steps: ['key ctrl+f', 'type 결제', 'wait 800', 'key Down Down', 'wait 500'] },
  { name: 'search-chips', home: 'demo', steps: ['key ctrl+f', 'type role:user the after:300d ', 'wait 800'] },
  { name: 'search-completion', home: 'demo', steps: ['key ctrl+f', 'type test source:', 'wait 800'] },
  { name: 'search-empty', home: 'demo', steps: ['key ctrl+f', 'wait 500'] },
  { name: 'search-none', home: 'demo', steps: ['key ctrl+f', 'type zebra quantum', 'wait 800'] },
  {
    name: 'look',
    home: 'demo',
    steps: ['key ctrl+f', 'type token', 'wait 800', 'key Down', 'key Return', 'wait 800', 'type n', 'wait 400'],
  },
  { name: 'help-search', home: 'demo', steps: ['key ctrl+f', 'key F1', 'wait 300'] },
  { name: 'browse', home: 'demo', args: ['sessions', 'browse'] },
  { name: 'palette', home: 'demo', steps: ['key ctrl+p'] },
  { name: 'help', home: 'demo', steps: ['key F1'] },
  { name: 'help-picker', home: 'demo', steps: ['key ctrl+x', 'key F1'] },
  { name: 'fresh', home: 'fresh' },
  { name: 'fresh-send', home: 'fresh', steps: ['type hello, what can you do?', 'key Return', 'wait 1200'] },
  {
    name: 'no-model-matches',
    home: 'demo',
    files: { 'config.yaml': '' },
    steps: ['type the expiry of the token', 'key Return', 'wait 1200'],
  },
  { name: 'fresh-picker', home: 'fresh', steps: ['key ctrl+x', 'wait 500'] },
  { name: 'fresh-model', home: 'fresh', steps: ['type /model', 'key Return', 'wait 1200'] },
  { name: 'model', home: 'demo', env: { ANTHROPIC_API_KEY: 'x', OPENAI_API_KEY: 'x' }, steps: ['type /model', 'key Return', 'wait 1500'] },
  { name: 'model-set', home: 'demo', steps: ['type /model', 'key Return', 'wait 1500', 'key Return', 'wait 600'] },
  { name: 'rename', home: 'demo', steps: ['key ctrl+x', 'key ctrl+r'] },
  { name: 'rename-korean', home: 'demo', steps: ['key ctrl+x', 'key Down Down', 'wait 300', 'key ctrl+r'] },
  {
    name: 'leave',
    home: 'demo',
    args: ['-r', '결제 화면 리팩터링'],
    steps: ['type 캐시는?', 'key Return', 'wait 1500', 'type /quit', 'key Return'],
  },
  { name: 'live', home: 'demo', holder: ['-r', 'refactoring auth'], args: ['-r', 'refactoring auth'] },
  { name: 'picker-live', home: 'demo', holder: ['-r', '결제 화면 리팩터링'], steps: ['key ctrl+x', 'wait 600'] },
  { name: 'directory-gone', home: 'demo', args: ['-r', 'flaky cart test'], gone: 'code/shop-mobile' },
  { name: 'archived', home: 'demo', args: ['-r', 'old notes on caching'] },
  { name: 'reading', home: 'demo', args: ['-c'], steps: ['key Prior', 'wait 300', 'key shift+Tab', 'key Up'] },
  { name: 'my-messages', home: 'demo', args: ['-c'], steps: ['key ctrl+r', 'type te', 'wait 300'] },
  { name: 'completion', home: 'demo', steps: ['type /', 'wait 300'] },
  { name: 'completion-korean', home: 'demo', args: ['-r', '회의록 정리'], steps: ['type /re', 'wait 300'] },
  {
    name: 'streaming',
    home: 'demo',
    args: ['-r', 'refactoring auth'],
    steps: ['type why do tokens expire', 'key Return', 'wait 6000', 'type next', 'key Return'],
  },
  { name: 'status', home: 'demo', args: ['-c'], steps: ['type /status', 'key Return'] },
  {
    name: 'errors',
    home: 'demo',
    files: { 'config.yaml': unreachable },
    args: ['-c'],
    steps: ['type hello there', 'key Return', 'wait 6000', 'type /nothing', 'key Return'],
  },
  { name: 'config-error', home: 'fresh', files: { 'config.yaml': 'display:\n  theme: blue\nmodel: [\n' } },
  { name: 'narrow', home: 'demo', args: ['-c'], steps: [] },
];
