import { KeyRound, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ConsolePage } from '../console-page.tsx';
import { useFilters } from '../filters.ts';
import { type Secret, SecretDialog } from '../secret-dialog.tsx';
import { Keys } from './keys.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { Users } from './users.tsx';

export default function PeoplePage() {
  const [filters, change] = useFilters();
  const { view = 'users' } = filters;
  const [isAdding, setAdding] = useState<'user' | 'key'>();
  const [keyFor, setKeyFor] = useState<string>();
  const [secret, setSecret] = useState<Secret>();
  const close = () => {
    setAdding(undefined);
    setKeyFor(undefined);
  };
  const addKey = (username?: string) => {
    setKeyFor(username);
    setAdding('key');
  };
  return (
    <ConsolePage
      title="Users and keys"
      lead="Users, their roles and their API keys. Changes take effect immediately."
      actions={
        <>
          <Button icon={KeyRound} onClick={() => addKey()}>
            New key
          </Button>
          <Button look="primary" icon={UserPlus} onClick={() => setAdding('user')}>
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
            content: view === 'users' && <Users onNewKey={addKey} onSecret={setSecret} />,
          },
          {
            value: 'keys',
            label: 'Keys',
            content: view === 'keys' && (
              <Keys userId={filters.user_id} onShowAll={() => change({ user_id: undefined })} />
            ),
          },
        ]}
      />
      {isAdding === 'user' && <NewUserDialog onClose={close} onSecret={setSecret} />}
      {isAdding === 'key' && <NewKeyDialog username={keyFor} onClose={close} onSecret={setSecret} />}
      {secret && <SecretDialog {...secret} onClose={() => setSecret(undefined)} />}
    </ConsolePage>
  );
}
