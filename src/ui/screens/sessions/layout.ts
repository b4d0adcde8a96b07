/** Where the parts of the picker stand, in cells. */
export interface PickerLayout {
  /** First line of the list: below header, info line, filter and rule. */
  readonly listTop: number;
  readonly listHeight: number;
  readonly listWidth: number;
  /** 0 = no preview pane. */
  readonly previewWidth: number;
}

/** Preview panes from 100 columns (product.md 2). */
const previewFrom = 100;
const linesAbove = 4;
const linesBelow = 2;

export function layOutPicker(width: number, height: number): PickerLayout {
  const listHeight = Math.max(1, height - linesAbove - linesBelow);
  if (width < previewFrom) return { listTop: linesAbove, listHeight, listWidth: width, previewWidth: 0 };
  // Three fifths for the list; the rule, the blank beside it and the last cell are the pane's margins.
  const listWidth = Math.floor(width * 0.6);
  return { listTop: linesAbove, listHeight, listWidth, previewWidth: width - listWidth - 3 };
}
