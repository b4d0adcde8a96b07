import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseSession, type PaneMemory, type ResumeReads, type StartRequest } from '../../src/app/choose-session.ts';
import { AmbiguousIdError, NotFoundError, UsageError } from '../../src/errors.ts';
import type { Session } from '../../src/session/types.ts';
import { start as text } from '../../src/text/en/start.ts';

let base: string;
let shop: string;
let pay: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-choose-')));
  shop = path.join(base, 'shop');
  pay = path.join(base, 'pay');
  mkdirSync(shop);
  mkdirSync(pay);
  symlinkSync(shop, path.join(base, 'link'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const session = (id: string, cwd?: string): Session => ({
  id,
  source: 'tui',
  modelConfig: {},
  startedAt: 0,
  lastActive: 0,
  messageCount: 2,
  toolCallCount: 0,
  inputTokens: 0,
  outputTokens: 0,
  archived: false,
  autoArchived: false,
  pinned: false,
  hidden: false,
  ...(cwd === undefined ? {} : { cwd }),
});

/** A store with one session for each workspace, the newest first. */
function reads(sessions: readonly Session[]): ResumeReads {
  const byId = (id: string) => sessions.find((each) => each.id === id);
  return {
    session: byId,
    target: byId,
    latest: (keys) => sessions.find((each) => keys === undefined || (each.cwd !== undefined && keys.includes(each.cwd))),
    resolve(name) {
      const exact = byId(name);
      if (exact !== undefined) return { kind: 'found', session: exact };
      const found = sessions.filter((each) => each.id.startsWith(name));
      if (found.length > 1) return { kind: 'ambiguous', candidates: found.map((each) => each.id) };
      return found[0] === undefined ? { kind: 'none' } : { kind: 'found', session: found[0] };
    },
  };
}

const request = (more: Partial<StartRequest>): StartRequest => ({ restoreCwd: true, createIfMissing: false, front: 'TUI', ...more });
const noCrumb = (): PaneMemory => ({ none: 'no crumb;' });
const choose = (more: Partial<StartRequest>, sessions: readonly Session[], here = shop, pane: () => PaneMemory = noCrumb) =>
  chooseSession(request(more), here, reads(sessions), pane);

describe('a bare -c', () => {
  it("takes this pane's session, wherever it was", () => {
    const plan = choose({ continue: true }, [session('new', shop), session('mine', pay)], shop, () => ({ sessionId: 'mine', cwd: pay }));
    expect(plan.session?.id).toBe('mine');
    expect(plan.reason).toBe(text.thisPane);
    expect(plan.workspace.cwd).toBe(pay);
    expect(plan.notices).toEqual([text.restored(pay)]);
  });

  it('without a breadcrumb takes the newest of this workspace and says why', () => {
    const plan = choose({ continue: true }, [session('other', pay), session('here', shop)]);
    expect(plan.session?.id).toBe('here');
    expect(plan.reason).toBe(`no crumb; ${text.newestHere('shop')}`);
  });

  it('takes the newest of all where this workspace has none', () => {
    expect(choose({ continue: true }, [session('other', pay)]).session?.id).toBe('other');
  });

  it('does not follow a breadcrumb to a session that is gone, and says which', () => {
    const plan = choose({ continue: true }, [session('here', shop)], shop, () => ({ sessionId: 'gone', cwd: shop }));
    expect(plan.session?.id).toBe('here');
    expect(plan.reason).toContain('gone');
  });

  it('in an empty store is an error with what to do', () => {
    expect(() => choose({ continue: true }, [])).toThrow(NotFoundError);
    expect(() => choose({ continue: true }, [])).toThrow(text.noneToContinue('TUI'));
  });
});

describe('-r latest', () => {
  it('never looks at the breadcrumb', () => {
    const asked = (): PaneMemory => {
      throw new Error('the breadcrumb was read');
    };
    expect(choose({ resume: 'LATEST' }, [session('here', shop)], shop, asked).session?.id).toBe('here');
  });

  it('in an empty store is an error of its own wording', () => {
    expect(() => choose({ resume: 'latest' }, [])).toThrow(text.noneToResume);
  });
});

describe('--in DIR', () => {
  it('looks only at sessions of that directory', () => {
    const plan = choose({ resume: 'latest', in: '../pay' }, [session('here', shop), session('there', pay)]);
    expect(plan.session?.id).toBe('there');
    expect(plan.workspace.cwd).toBe(pay);
  });

  it('starts a new one there where it has none, and says so', () => {
    const plan = choose({ continue: true, in: pay }, [session('here', shop)], shop, () => ({ sessionId: 'here', cwd: shop }));
    expect(plan.session).toBeUndefined();
    expect(plan.notices).toEqual([text.noneInDirectory(pay)]);
    expect(plan.workspace.cwd).toBe(pay);
  });

  it('knows a directory through a symbolic link', () => {
    expect(choose({ resume: 'latest', in: path.join(base, 'link') }, [session('here', shop)], pay).session?.id).toBe('here');
  });

  it('pins the directory: the recorded one is not restored', () => {
    const plan = choose({ resume: 'mine', in: shop }, [session('mine', pay)]);
    expect(plan.workspace.cwd).toBe(shop);
    expect(plan.notices).toEqual([]);
  });

  it('that is no directory is an error', () => {
    expect(() => choose({ in: 'nowhere' }, [])).toThrow(text.directoryMissing('nowhere'));
  });
});

describe('a name', () => {
  it('that fits nothing is an error, with -c and --create-if-missing a new session of that title', () => {
    expect(() => choose({ resume: 'zzz' }, [session('a')])).toThrow(text.noMatch('zzz'));
    expect(choose({ continue: 'zzz', createIfMissing: true }, [])).toMatchObject({ title: 'zzz', notices: [] });
  });

  it('that is the beginning of several ids names them all', () => {
    const sessions = [session('20250305_1'), session('20250305_2')];
    try {
      choose({ resume: '20250305' }, sessions);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(AmbiguousIdError);
      expect((error as AmbiguousIdError).candidates).toEqual(['20250305_1', '20250305_2']);
    }
  });

  it('that is empty is a usage error', () => expect(() => choose({ resume: ' ' }, [])).toThrow(UsageError));

  it('`latest` after -c is a title, not a keyword', () => {
    expect(() => choose({ continue: 'latest' }, [session('here', shop)])).toThrow(text.noMatch('latest'));
  });
});

describe('the recorded directory', () => {
  it('that is gone leaves the conversation here, and says so', () => {
    const gone = path.join(base, 'gone');
    const plan = choose({ resume: 'mine' }, [session('mine', gone)]);
    expect(plan.goneDirectory).toBe(gone);
    expect(plan.workspace.cwd).toBe(shop);
    expect(plan.notices).toEqual([text.directoryGone(gone, shop)]);
  });

  it('is not entered with --no-restore-cwd', () => {
    expect(choose({ resume: 'mine', restoreCwd: false }, [session('mine', pay)]).workspace.cwd).toBe(shop);
  });

  it('that is this one by another name is not spoken of', () => {
    expect(choose({ resume: 'mine' }, [session('mine', path.join(base, 'link'))]).notices).toEqual([]);
  });
});

describe('a message to open at', () => {
  const one = session('20260101_000000_aaaaaa');
  it('is named beside the session, or behind it', () => {
    expect(choose({ resume: one.id, at: 12 }, [one])).toMatchObject({ session: { id: one.id }, at: 12 });
    expect(choose({ resume: `${one.id}#12` }, [one])).toMatchObject({ session: { id: one.id }, at: 12 });
    expect(choose({ resume: '20260101#12' }, [one])).toMatchObject({ session: { id: one.id }, at: 12 });
    expect(choose({ continue: true, at: 12 }, [one])).toMatchObject({ at: 12 });
    expect(choose({ resume: one.id }, [one])).not.toHaveProperty('at');
  });
  it('never takes the end of a name that something is called as a whole', () => {
    const named = session('plan #2');
    expect(choose({ resume: 'plan #2' }, [named])).toMatchObject({ session: { id: 'plan #2' } });
    expect(choose({ resume: 'plan #2' }, [named])).not.toHaveProperty('at');
    expect(() => choose({ resume: 'nothing#2' }, [one])).toThrow(NotFoundError);
  });
  it('the one given by itself wins over the one behind the name', () => {
    expect(choose({ resume: `${one.id}#12`, at: 13 }, [one])).toMatchObject({ at: 13 });
  });
});
