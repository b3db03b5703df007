import { useId } from 'react';
import type { Role } from '../../api/types.ts';
import { ROLE_MEANINGS, ROLE_OPTIONS } from './roles.ts';

/** The roles, each with what it may do beyond the one before. None is chosen while the default is not known. */
export function RoleChoice({ value, onChange }: { value: Role | undefined; onChange: (role: Role) => void }) {
  const name = useId();
  return (
    <fieldset className="console-choice">
      <legend className="field-label">Role</legend>
      {ROLE_OPTIONS.map(({ value: role, label }) => (
        <label key={role}>
          <input type="radio" name={name} checked={role === value} onChange={() => onChange(role)} />
          <span>
            <b>{label}</b> <span className="muted small">{ROLE_MEANINGS[role]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
