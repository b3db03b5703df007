import './shortcut-help.css';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { activeShortcuts, type Shortcut } from './shortcuts.ts';

const GROUPS: Shortcut['group'][] = ['Everywhere', 'Go to', 'List', 'Reader'];

/** Lists the shortcuts of the current page. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const seen = new Map(activeShortcuts().map((shortcut) => [shortcut.keys, shortcut]));
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts" size="wide">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable */}
      <section className="shortcut-groups" aria-label="Shortcuts" tabIndex={0}>
        {GROUPS.map((group) => {
          const shortcuts = [...seen.values()].filter((shortcut) => shortcut.group === group);
          if (shortcuts.length === 0) return null;
          return (
            <section key={group}>
              <h3 className="shortcut-group-title">{group}</h3>
              <dl className="shortcut-list">
                {shortcuts.map(({ keys, label }) => (
                  <div key={keys} className="shortcut">
                    <dt>{label}</dt>
                    <dd>
                      <Kbd>{keys}</Kbd>
                    </dd>
                  </div>
                ))}
                {group === 'Everywhere' && (
                  <div className="shortcut">
                    <dt>Command palette</dt>
                    <dd>
                      <Kbd>Ctrl K</Kbd>
                    </dd>
                  </div>
                )}
              </dl>
            </section>
          );
        })}
      </section>
    </Dialog>
  );
}
