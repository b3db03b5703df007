import '../ui/option-list.css';
import {
  type ComponentProps,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import type { Person } from '../api/types.ts';

/** People who are offered at once. */
const MOST_OFFERED = 6;
/** An @ at the beginning of a word, and what was typed of the name, up to the caret. */
const BEGUN = /(?<![\p{L}\p{N}@._+-])@([^\s@]{0,40})$/u;

interface MentionAreaProps extends Omit<ComponentProps<'textarea'>, 'value' | 'onChange' | 'onKeyDown'> {
  field: RefObject<HTMLTextAreaElement | null>;
  value: string;
  onChange: (value: string) => void;
  /** The people who can be mentioned. Without them, it is an ordinary text field. */
  people: readonly Person[];
  /** Called for keys that the list of people does not use. */
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
}

/** A text field that offers people after an @. While it does, it is a combobox with a list. */
export function MentionArea({ field, value, onChange, people, onKeyDown, ...rest }: MentionAreaProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  /** The text that was typed after the @; undefined when nobody is being mentioned. */
  const [typed, setTyped] = useState<string>();
  const [active, setActive] = useState(0);
  const offered = typed === undefined ? [] : matching(people, typed);
  const isOpen = offered.length > 0;
  const chosen = offered[active] ?? offered[0];
  useEffect(() => {
    if (isOpen) list.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);

  /** Reads what is before the caret, after a change or a movement. */
  function read() {
    const element = field.current;
    const caret = element?.selectionStart ?? 0;
    const isCaret = caret === element?.selectionEnd;
    const begun = isCaret ? BEGUN.exec(element?.value.slice(0, caret) ?? '')?.[1] : undefined;
    if (begun !== typed) setActive(0);
    setTyped(begun);
  }

  function mention({ username }: Person) {
    const element = field.current;
    const caret = element?.selectionStart;
    if (!element || caret === undefined) return;
    const start = caret - (typed?.length ?? 0);
    const after = value.slice(caret);
    const inserted = /^\s/.test(after) ? username : `${username} `;
    // The command inserts the name like typed text, so that the browser's own Undo removes it.
    element.setSelectionRange(start, caret);
    if (!document.execCommand('insertText', false, inserted))
      onChange(value.slice(0, start) + inserted + after);
    setTyped(undefined);
  }

  function handleKey(event: KeyboardEvent<HTMLTextAreaElement>) {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isOpen || !isPlain) return onKeyDown(event);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setActive((offered.indexOf(chosen as Person) + step + offered.length) % offered.length);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && chosen) mention(chosen);
    else if (event.key === 'Escape') setTyped(undefined);
    else return onKeyDown(event);
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div className="mention-area">
      <textarea
        {...rest}
        ref={field}
        value={value}
        {...(isOpen && {
          role: 'combobox',
          'aria-expanded': true,
          'aria-autocomplete': 'list',
          'aria-controls': `${id}-list`,
          'aria-activedescendant': `${id}-${chosen?.id}`,
        })}
        onChange={(event) => {
          onChange(event.target.value);
          read();
        }}
        onSelect={read}
        onBlur={() => setTyped(undefined)}
        onKeyDown={handleKey}
      />
      {isOpen && (
        <div ref={list} id={`${id}-list`} role="listbox" aria-label="People" className="option-list">
          {offered.map((person) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keyboard
            <div
              key={person.id}
              id={`${id}-${person.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={person === chosen}
              className="option"
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => mention(person)}
            >
              <span className="truncate" dir="auto">
                {person.display_name}
              </span>
              <span className="muted truncate">@{person.username}</span>
            </div>
          ))}
        </div>
      )}
      <span className="visually-hidden" role="status">
        {isOpen && `${offered.length} ${offered.length === 1 ? 'person' : 'people'} to mention`}
      </span>
    </div>
  );
}

/** The people whose username, or a word of whose name, begins with what was typed. */
function matching(people: readonly Person[], typed: string): Person[] {
  const prefix = typed.toLowerCase();
  const begins = ({ username, display_name }: Person) =>
    [username, ...display_name.split(/\s+/)].some((word) => word.toLowerCase().startsWith(prefix));
  return people.filter(begins).slice(0, MOST_OFFERED);
}
