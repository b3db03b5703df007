import { KeyRound, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ConsolePage } from '../console-page.tsx';
import { useFilters } from '../filters.tsx';
import { type Secret, SecretDialog } from '../secret-dialog.tsx';
import { Keys } from './keys.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { Users } from './users.tsx';

export default function PeoplePage() {
  const [{ view = 'users' }, change] = useFilters();
  const [adding, setAdding] = useState<{ what: 'user' } | { what: 'key'; username?: string }>();
  const [secret, setSecret] = useState<Secret>();
  const dialog = { onClose: () => setAdding(undefined), onSecret: setSecret };
  const newKey = (username: string) => setAdding({ what: 'key', username });
  return (
    <ConsolePage
      title="Users and keys"
      lead="Users, their roles and their API keys. Changes take effect immediately."
      actions={
        <>
          <Button icon={KeyRound} onClick={() => setAdding({ what: 'key' })}>
            New key
          </Button>
          <Button look="primary" icon={UserPlus} onClick={() => setAdding({ what: 'user' })}>
            New user
          </Button>
        </>
      }
    >
      <Tabs
        label="Users and keys"
        value={view}
        onChange={(chosen) => change({ view: chosen === 'users' ? undefined : chosen, user_id: undefined })}
        tabs={[
          {
            value: 'users',
            label: 'Users',
            content: view === 'users' && <Users onNewKey={newKey} onSecret={setSecret} />,
          },
          { value: 'keys', label: 'Keys', content: view === 'keys' && <Keys /> },
        ]}
      />
      {adding?.what === 'user' && <NewUserDialog {...dialog} />}
      {adding?.what === 'key' && <NewKeyDialog username={adding.username} {...dialog} />}
      {secret && <SecretDialog {...secret} onClose={() => setSecret(undefined)} />}
    </ConsolePage>
  );
}
