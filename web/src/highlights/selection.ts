/** Returns the selected text of the page, also on a fixed page, whose shadow root hides its selection from `getRangeAt`. */
export function selectedRange(): Range | undefined {
  const selection = getSelection();
  if (!selection || selection.rangeCount === 0) return undefined;
  for (const root of pageRoots()) {
    const range = rangeWithin(root, selection);
    if (range) return range;
  }
  return selection.isCollapsed ? undefined : selection.getRangeAt(0).cloneRange();
}

/** Whether no text is selected. */
export function hasNoSelection(): boolean {
  return selectedRange() === undefined;
}

function pageRoots(): ShadowRoot[] {
  return [...document.querySelectorAll('.fixed-page')].flatMap(({ shadowRoot }) => shadowRoot ?? []);
}

/** Returns the part of the selection that is in a shadow root. */
function rangeWithin(root: ShadowRoot, selection: Selection): Range | undefined {
  const composed = composedRange(selection, root);
  if (!composed) return undefined;
  const { startContainer, startOffset, endContainer, endOffset } = composed;
  const [startsInside, endsInside] = [root.contains(startContainer), root.contains(endContainer)];
  if (!startsInside && !endsInside) return undefined;
  const range = document.createRange();
  range.selectNodeContents(root);
  if (startsInside) range.setStart(startContainer, startOffset);
  if (endsInside) range.setEnd(endContainer, endOffset);
  return range.collapsed ? undefined : range;
}

type Boundaries = Pick<Range, 'startContainer' | 'startOffset' | 'endContainer' | 'endOffset'>;

function composedRange(selection: Selection, root: ShadowRoot): Boundaries | undefined {
  if (typeof selection.getComposedRanges === 'function') {
    return selection.getComposedRanges({ shadowRoots: [root] })[0];
  }
  const own = ownSelection(root);
  return own && own.rangeCount > 0 ? own.getRangeAt(0) : undefined;
}

/** Chromium's selection of a shadow root, from before `getComposedRanges`. */
function ownSelection(root: ShadowRoot): Selection | null {
  return (root as ShadowRoot & { getSelection?: () => Selection | null }).getSelection?.() ?? null;
}
