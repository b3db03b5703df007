import { useId } from 'react';
import type { Role } from '../../api/types.ts';

/** The additional rights of each role. The type keeps the list complete. */
const ROLE_DESCRIPTIONS: Record<Role, string> = {
  viewer: 'uses the library',
  operator: 'also manages jobs, workers and the outbox',
  researcher: 'also sees unredacted text',
  admin: 'also manages users, keys and webhooks',
};

export const ROLE_OPTIONS = (Object.keys(ROLE_DESCRIPTIONS) as Role[]).map((value) => ({
  value,
  label: value,
}));

/** A choice of roles. None is selected until the default is known. */
export function RoleChoice({ value, onChange }: { value: Role | undefined; onChange: (role: Role) => void }) {
  const name = useId();
  return (
    <fieldset className="choice">
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
