import { useId } from 'react';
import type { Role } from '../../api/types.ts';
import { ROLE_DESCRIPTIONS, ROLE_OPTIONS } from './roles.ts';

/** A choice of roles. None is selected until the default is known. */
export function RoleChoice({ value, onChange }: { value: Role | undefined; onChange: (role: Role) => void }) {
  const name = useId();
  return (
    <fieldset className="console-choice">
      <legend className="field-label">Role</legend>
      {ROLE_OPTIONS.map(({ value: role, label }) => (
        <label key={role}>
          <input type="radio" name={name} checked={role === value} onChange={() => onChange(role)} />
          <span>
            <b>{label}</b> <span className="muted small">{ROLE_DESCRIPTIONS[role]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
