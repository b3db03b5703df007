import { Link } from '@tanstack/react-router';
import { CloudOff, Command, Plus, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { streamState } from '../api/events.ts';
import { useStore } from '../api/store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { useDialogs } from './dialogs.ts';
import { Logo } from './logo.tsx';

const PATIENCE_MS = 4000;

export function TopBar({ onSearch }: { onSearch: () => void }) {
  const { show } = useDialogs();
  return (
    <header className="topbar">
      <Link to="/" className="wordmark only-narrow">
        <Logo size={26} />
        Nexus
      </Link>
      <button type="button" className="topbar-search only-wide" onClick={onSearch}>
        <Search size={16} aria-hidden />
        Search
        <Kbd>/</Kbd>
      </button>
      <span className="grow" />
      <ConnectionState />
      <IconButton label="Command palette" shortcut="Ctrl K" icon={Command} onClick={() => show('palette')} />
      <Button look="primary" icon={Plus} className="only-wide" onClick={() => show('save')}>
        Save
      </Button>
    </header>
  );
}

/** Shows that live updates have been interrupted for some seconds. */
function ConnectionState() {
  const state = useStore(streamState);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (state === 'open') return setLost(false);
    const timer = setTimeout(() => setLost(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  if (!isLost) return null;
  return (
    <span className="stream-state" role="status">
      <CloudOff size={16} aria-hidden />
      <span>Reconnecting…</span>
    </span>
  );
}
