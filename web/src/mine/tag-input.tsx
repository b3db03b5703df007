import '../ui/option-list.css';
import './tags.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { Field } from '../ui/field.tsx';
import { cleanTag, hasTag, isSameTag, LONGEST_TAG, tagProblem, withoutTag } from './tag-names.ts';
import { completionsQuery } from './tags.ts';

interface TagInputProps {
  label: string;
  hint?: string;
  tags: readonly string[];
  onChange: (tags: string[]) => void;
  /** Completes to the tags of this library instead of the person's own. */
  libraryId?: string | undefined;
  /** A note beside a tag: on how many of the selected items it is. */
  noteOf?: (name: string) => string | undefined;
  /** Adds a tag that only some of the selected items have to all of them. */
  onComplete?: ((name: string) => void) | undefined;
  /** Called for Enter in the empty field. */
  onSubmit?: () => void;
}

/** The most tags of one media. */
const MOST_TAGS = 100;

/** A field for tags, with completion. Enter or a comma adds a tag, Backspace in the empty field removes the last one. */
export function TagInput(props: TagInputProps) {
  const { label, hint, tags, onChange, libraryId, noteOf, onComplete, onSubmit } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [said, setSaid] = useState('');
  const name = cleanTag(text.trim());
  const prefix = name.replace(/\/$/, '').slice(0, LONGEST_TAG);
  const { data: known = [] } = useQuery({
    ...completionsQuery(prefix, libraryId),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  const options = isOpen
    ? optionsFor(
        name,
        known.map((tag) => tag.name),
        tags,
      )
    : [];

  function reset() {
    setText('');
    setError(undefined);
    setOpen(false);
    setActive(-1);
  }

  /** Adds the tags in a text. Returns false when one of them is not allowed, or when there is none. */
  function add(given: string): boolean {
    const names = given
      .split(/[,\n]/)
      .map((part) => cleanTag(part.trim()))
      .filter(Boolean);
    if (names.length === 0) return false;
    const problem =
      names.map(tagProblem).find((found) => found) ??
      (tags.length + names.length > MOST_TAGS ? `An item has at most ${MOST_TAGS} tags.` : undefined);
    if (problem) {
      setError(problem);
      return false;
    }
    const fresh = names.filter(
      (one, index) => !hasTag(tags, one) && names.findIndex((other) => isSameTag(one, other)) === index,
    );
    if (fresh.length > 0) onChange([...tags, ...fresh]);
    for (const one of names) if (noteOf?.(one)) onComplete?.(one);
    setSaid(`Added ${names.join(', ')}`);
    reset();
    return true;
  }

  function remove(removed: string) {
    onChange(withoutTag(tags, removed));
    setSaid(`Removed ${removed}`);
    input.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setOpen(true);
      const count = options.length;
      // The first step up from the text leads to the last option.
      if (count > 0) setActive(active < 0 ? (step > 0 ? 0 : count - 1) : (active + step + count) % count);
    } else if (event.key === 'Enter') {
      const chosen = options[active]?.name ?? text;
      if (chosen.trim()) {
        event.preventDefault();
        add(chosen);
      } else if (onSubmit) {
        event.preventDefault();
        onSubmit();
      }
    } else if (event.key === ',') {
      event.preventDefault();
      add(text);
    } else if (event.key === 'Backspace' && text === '' && !event.repeat) {
      const last = tags.at(-1);
      if (last !== undefined) remove(last);
    } else if (event.key === 'Escape' && options.length > 0) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  }

  return (
    <Field label={label} hint={hint} error={error} className="tag-field">
      {(control) => (
        <>
          <div className="tag-combo">
            {/* biome-ignore lint/a11y: a click beside the tags focuses the field, as in any field */}
            <div
              className="tag-box"
              onClick={(event) => {
                if (event.target === event.currentTarget) input.current?.focus();
              }}
            >
              {tags.map((tag) => (
                <Chip
                  key={tag.toLowerCase()}
                  name={tag}
                  note={noteOf?.(tag)}
                  onComplete={onComplete}
                  onRemove={remove}
                />
              ))}
              <input
                {...control}
                ref={input}
                className="tag-text"
                role="combobox"
                aria-expanded={options.length > 0}
                aria-controls={`${id}-list`}
                aria-autocomplete="list"
                aria-activedescendant={options[active] && `${id}-${active}`}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                dir="auto"
                placeholder={tags.length === 0 ? 'Add a tag' : ''}
                value={text}
                onChange={(event) => {
                  setText(event.target.value);
                  setError(undefined);
                  setOpen(event.target.value.trim() !== '');
                  setActive(-1);
                }}
                onPaste={(event) => {
                  const pasted = event.clipboardData.getData('text/plain');
                  if (!/[,\n]/.test(pasted)) return;
                  event.preventDefault();
                  add(text + pasted);
                }}
                onBlur={() => {
                  setOpen(false);
                  if (text.trim()) add(text);
                }}
                onKeyDown={onKeyDown}
              />
            </div>
            <div
              id={`${id}-list`}
              role="listbox"
              aria-label="Tags"
              className="option-list"
              hidden={options.length === 0}
            >
              {options.map((option, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keyboard
                <div
                  key={option.name.toLowerCase()}
                  id={`${id}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  className="option"
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => add(option.name)}
                >
                  {option.isNew && <Plus size={14} aria-hidden />}
                  <span dir="auto">{option.isNew ? `Create "${option.name}"` : option.name}</span>
                </div>
              ))}
            </div>
          </div>
          <span className="visually-hidden" role="status">
            {said}
          </span>
        </>
      )}
    </Field>
  );
}

interface ChipProps extends Pick<TagInputProps, 'onComplete'> {
  name: string;
  note: string | undefined;
  onRemove: (name: string) => void;
}

function Chip({ name, note, onComplete, onRemove }: ChipProps) {
  return (
    <span className="tag-chip tag-chip-edit" data-partial={note !== undefined}>
      <span className="truncate" dir="auto">
        {name}
      </span>
      {note !== undefined && (
        <button
          type="button"
          className="tag-chip-note"
          aria-label={`Add ${name} to all items; it is on ${note}`}
          onClick={() => onComplete?.(name)}
        >
          {note}
        </button>
      )}
      <button
        type="button"
        className="tag-chip-button"
        aria-label={`Remove ${name}`}
        onClick={() => onRemove(name)}
      >
        <X size={14} aria-hidden />
      </button>
    </span>
  );
}

/** The known tags that match and are not given yet, then the new one. */
function optionsFor(name: string, known: readonly string[], given: readonly string[]) {
  const matching = known.filter((tag) => !hasTag(given, tag)).map((tag) => ({ name: tag, isNew: false }));
  const isNew = name !== '' && !tagProblem(name) && !hasTag(known, name) && !hasTag(given, name);
  return isNew ? [...matching, { name, isNew }] : matching;
}
