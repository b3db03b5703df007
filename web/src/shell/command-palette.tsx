import './command-palette.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ListPage, SearchHit } from '../api/types.ts';
import { sectionsFor } from '../console/sections.ts';
import { activeShortcuts } from '../keyboard/shortcuts.ts';
import { KIND_NAMES, titleOf } from '../library/format.ts';
import { librariesQuery } from '../library/queries.ts';
import { savedSearchesQuery } from '../search/saved-searches.tsx';
import { useSession } from '../session/session.ts';
import { setTheme } from '../session/theme.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { usePaused } from '../ui/use-paused.ts';

interface Command {
  /** Needed where labels are not unique: two items may have the same title. */
  id?: string;
  label: string;
  group: string;
  keys?: string;
  run: () => void;
}

const TYPING_MS = 150;
const MOST_ITEMS = 6;
/** Fewer letters find too much. */
const FEWEST_LETTERS = 2;

/** Finds items by their title, author or text, best first. */
function useFoundItems(text: string) {
  const q = usePaused(text.trim(), TYPING_MS);
  const isLong = q.length >= FEWEST_LETTERS;
  const hits = useQuery({
    queryKey: queryKeys.search({ palette: q }),
    queryFn: ({ signal }) => api.get<ListPage<SearchHit>>('/search', { q, limit: MOST_ITEMS }, signal),
    enabled: isLong,
    placeholderData: keepPreviousData,
  });
  return isLong && text.trim() ? (hits.data?.data ?? []).map(({ media }) => media) : [];
}

/** Finds commands, libraries, pages and items by name. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const id = useId();
  const navigate = useNavigate();
  const { user } = useSession();
  const libraries = useQuery(librariesQuery);
  const searches = useQuery(savedSearchesQuery);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);

  const shortcuts = new Map(activeShortcuts().map((shortcut) => [shortcut.label, shortcut]));
  const commands: Command[] = [
    ...[...shortcuts.values()]
      .filter(({ group }) => group !== 'List')
      .map(({ label, group, keys, run }) => ({ label, group, keys, run })),
    { label: 'Tags', group: 'Go to', run: () => void navigate({ to: '/tags' }) },
    { label: 'Import links', group: 'Go to', run: () => void navigate({ to: '/import' }) },
    ...(libraries.data ?? [])
      .filter(({ is_default }) => !is_default)
      .map(({ id: libraryId, name }) => ({
        label: name,
        group: 'Library',
        run: () => void navigate({ to: '/library/$libraryId', params: { libraryId } }),
      })),
    ...(searches.data ?? []).map(({ id: searchId, name }) => ({
      id: searchId,
      label: name,
      group: 'Saved search',
      run: () => void navigate({ to: '/searches/$searchId', params: { searchId } }),
    })),
    ...sectionsFor(user.role).map(({ label, path }) => ({
      label,
      group: 'Console',
      run: () => void navigate({ to: `/console/${path}` as string }),
    })),
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      label: `Theme: ${theme}`,
      group: 'Appearance',
      run: () => setTheme(theme),
    })),
  ];
  const items = useFoundItems(text).map(
    (media): Command => ({
      id: media.id,
      label: titleOf(media),
      group: KIND_NAMES[media.kind].label,
      run: () => void navigate({ to: '/read/$mediaId', params: { mediaId: media.id } }),
    }),
  );
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({ label, group }) => {
    const name = `${label} ${group}`.toLowerCase();
    return words.every((word) => name.includes(word));
  });
  const search: Command = {
    label: `Search for "${text.trim()}"`,
    group: 'Search',
    run: () => void navigate({ to: '/search', search: { q: text.trim() } }),
  };
  const shown = text.trim() ? [...found, ...items, search] : found;

  function take(command: Command | undefined) {
    if (!command) return;
    onClose();
    command.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter') return take(shown[active]);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || shown.length === 0) return;
    event.preventDefault();
    const next = (active + step + shown.length) % shown.length;
    setActive(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  }

  return (
    <Dialog onClose={onClose} title="Commands" className="palette">
      <input
        className="palette-input"
        role="combobox"
        aria-label="Find a command, a library or an item"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length > 0 ? `${id}-${active}` : undefined}
        placeholder="Type a title or a command…"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Commands" className="palette-list">
        {shown.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keyboard
          <div
            key={command.id ?? `${command.group} ${command.label}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className="palette-item"
            onMouseMove={() => setActive(index)}
            onClick={() => take(command)}
          >
            <span className="truncate" dir="auto">
              {command.label}
            </span>
            {command.keys ? (
              <Kbd>{command.keys}</Kbd>
            ) : (
              <span className="palette-group">{command.group}</span>
            )}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
