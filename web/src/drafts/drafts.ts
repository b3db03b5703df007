/** Texts that were typed and not saved, on this device: they outlive a tab that is closed. */
const KEY = 'nexus.drafts';
const MOST = 50;

/** Two tabs in which the same field is edited have a draft each. */
const TAB = Math.random().toString(36).slice(2);

export interface Draft {
  text: string;
  /** The saved text that the edit is based on. */
  base: string;
}

interface KeptDraft extends Draft {
  user: string;
  field: string;
  tab: string;
}

function readAll(): KeptDraft[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.text === 'string') : [];
  } catch {
    return [];
  }
}

function writeAll(all: KeptDraft[]): void {
  try {
    if (all.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(all.slice(-MOST)));
  } catch {
    // Without storage, or when it is full, a draft lives as long as its tab.
  }
}

const isOf = (user: string, field: string) => (one: KeptDraft) => one.user === user && one.field === field;

export function keepDraft(user: string, field: string, { text, base }: Draft): void {
  const isOwn = isOf(user, field);
  const others = readAll().filter((one) => !(isOwn(one) && one.tab === TAB));
  writeAll([...others, { user, field, tab: TAB, text, base }]);
}

/** Returns a person's newest draft of a field. */
export function findDraft(user: string, field: string): Draft | undefined {
  return readAll().findLast(isOf(user, field));
}

/** Returns a person's newest draft of a field, and makes it the draft of this tab. Another tab that still edits the field stores its draft again. */
export function takeDraft(user: string, field: string): Draft | undefined {
  const isOwn = isOf(user, field);
  const all = readAll();
  const found = all.findLast(isOwn);
  if (!found) return undefined;
  writeAll([
    ...all.filter((one) => one !== found && !(isOwn(one) && one.tab === TAB)),
    { ...found, tab: TAB },
  ]);
  return found;
}

/** Forgets the draft of this tab. */
export function forgetDraft(user: string, field: string): void {
  const isOwn = isOf(user, field);
  const all = readAll();
  const others = all.filter((one) => !(isOwn(one) && one.tab === TAB));
  if (others.length < all.length) writeAll(others);
}

/** Forgets everything that was typed on this device, for somebody who signs out. */
export function forgetAllDrafts(): void {
  writeAll([]);
}
