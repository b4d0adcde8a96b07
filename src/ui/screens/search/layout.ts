/** Where the parts of the panel stand, in cells. */
export interface SearchLayout {
  /** First line of the list: below header, info line, query and rule. */
  readonly listTop: number;
  readonly listHeight: number;
  readonly listWidth: number;
  /** 0 = no context pane. */
  readonly contextWidth: number;
  /** Hits shown of the lineage under the cursor. */
  readonly mostHits: number;
  /** A blank line stands between two lineages. */
  readonly hasGaps: boolean;
}

/** Context panes from 100 columns (product.md 2). */
const contextFrom = 100;
const linesAbove = 4;
const linesBelow = 2;
/** Lists lower than this have no line to spare. */
const gapsFrom = 10;

export function layOutSearch(width: number, height: number): SearchLayout {
  const listHeight = Math.max(1, height - linesAbove - linesBelow);
  const hasContext = width >= contextFrom;
  // The rule, the blank beside it and the last cell are the pane's margins.
  const listWidth = hasContext ? Math.floor(width * 0.56) : width;
  return {
    listTop: linesAbove,
    listHeight,
    listWidth,
    contextWidth: hasContext ? width - listWidth - 3 : 0,
    mostHits: Math.max(2, Math.min(7, Math.floor(listHeight / 4))),
    hasGaps: listHeight >= gapsFrom,
  };
}
