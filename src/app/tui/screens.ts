import { createRoot, type Definitions, type Root } from '../../ui/root/model.ts';
import { createChatScreen } from '../../ui/screens/chat/index.ts';
import { createDialogScreen } from '../../ui/screens/dialog/index.ts';
import { createInsightsScreen } from '../../ui/screens/insights/index.ts';
import { createMenuScreen } from '../../ui/screens/menu/index.ts';
import { createModelsScreen } from '../../ui/screens/models/index.ts';
import { createPaletteScreen } from '../../ui/screens/palette/index.ts';
import { createSearchScreen } from '../../ui/screens/search/index.ts';
import { createSessionsScreen } from '../../ui/screens/sessions/index.ts';
import type { Run } from '../run.ts';

/** Every screen with the keys of the config as it was read last; `/reload` makes them anew, their state stays. */
export interface ScreenSet {
  readonly root: Root;
  readonly definitions: Definitions;
}

export function createScreens(run: Run): ScreenSet {
  const overrides = run.loaded().config.keys;
  const definitions: Definitions = {
    chat: createChatScreen({ now: run.now, overrides }),
    sessions: createSessionsScreen({ clock: () => performance.now(), overrides }),
    search: createSearchScreen({ now: run.now, overrides }),
    look: createChatScreen({ now: run.now, overrides }),
    menu: createMenuScreen({ overrides }),
    palette: createPaletteScreen({ overrides }),
    models: createModelsScreen({ overrides }),
    insights: createInsightsScreen({ overrides }),
    dialog: createDialogScreen({ overrides }),
  };
  return { root: createRoot(definitions, overrides), definitions };
}
