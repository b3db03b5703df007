import './command-palette.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { sectionsFor } from '../console/sections.ts';
import { activeShortcuts } from '../keyboard/shortcuts.ts';
import { librariesQuery } from '../library/queries.ts';
import { useSession } from '../session/session.ts';
import { setTheme } from '../session/theme.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';

interface Command {
  label: string;
  group: string;
  keys?: string;
  run: () => void;
}

/** Finds commands, libraries and pages by name. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const id = useId();
  const navigate = useNavigate();
  const { user } = useSession();
  const libraries = useQuery(librariesQuery);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);

  const shortcuts = new Map(activeShortcuts().map((shortcut) => [shortcut.label, shortcut]));
  const commands: Command[] = [
    ...[...shortcuts.values()]
      .filter(({ group }) => group !== 'List')
      .map(({ label, group, keys, run }) => ({ label, group, keys, run })),
    { label: 'Import links', group: 'Go to', run: () => void navigate({ to: '/import' }) },
    ...(libraries.data ?? [])
      .filter(({ is_default }) => !is_default)
      .map(({ id: libraryId, name }) => ({
        label: name,
        group: 'Library',
        run: () => void navigate({ to: '/library/$libraryId', params: { libraryId } }),
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
  const shown = text.trim() ? [...found, search] : found;

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
        aria-label="Find a command, a library or text"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length > 0 ? `${id}-${active}` : undefined}
        placeholder="Type a command or search…"
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
            key={`${command.group} ${command.label}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className="palette-item"
            onMouseMove={() => setActive(index)}
            onClick={() => take(command)}
          >
            <span className="truncate">{command.label}</span>
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
