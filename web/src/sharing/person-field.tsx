import '../ui/option-list.css';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Person } from '../api/types.ts';
import { Field } from '../ui/field.tsx';

interface PersonFieldProps {
  label: string;
  value: string;
  onChange: (username: string) => void;
  error: unknown;
}

/** An input for a username, with suggestions. */
export function PersonField({ label, value, onChange, error }: PersonFieldProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const prefix = value.trim();
  const isLongEnough = prefix.length >= 2;
  const { data: people = [] } = useQuery({
    queryKey: queryKeys.people(prefix),
    queryFn: ({ signal }) => api.getData<Person[]>('/people', { prefix }, signal),
    enabled: isLongEnough,
    staleTime: 30_000,
  });
  const shown = isOpen && isLongEnough ? people : [];

  function choose(username: string) {
    onChange(username);
    setOpen(false);
    setActive(-1);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (shown.length === 0) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((active + step + shown.length) % shown.length);
    } else if (event.key === 'Enter' && shown[active]) {
      event.preventDefault();
      choose(shown[active].username);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  }

  return (
    <Field label={label} error={error} className="suggest">
      {(control) => (
        <>
          <input
            {...control}
            role="combobox"
            aria-expanded={shown.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={shown[active] && `${id}-${active}`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={value}
            onChange={(event) => {
              setOpen(true);
              setActive(-1);
              onChange(event.target.value);
            }}
            onBlur={() => setOpen(false)}
            onKeyDown={onKeyDown}
          />
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label="People"
            className="option-list"
            hidden={shown.length === 0}
          >
            {shown.map((person, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keyboard
              <div
                key={person.id}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                className="option"
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(person.username)}
              >
                <strong>{person.username}</strong>
                <span className="muted">{person.display_name}</span>
              </div>
            ))}
          </div>
        </>
      )}
    </Field>
  );
}
