import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound, Keyboard, LogOut, Settings } from 'lucide-react';
import { errorMessage } from '../api/error.ts';
import { signOut, useSession } from '../session/session.ts';
import { setTheme, type Theme, useTheme } from '../session/theme.ts';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { showToast } from '../ui/toasts.ts';
import { useDialogs } from './dialogs.ts';

const THEMES: { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function PersonMenu() {
  const { user } = useSession();
  const theme = useTheme();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { show } = useDialogs();

  async function endSession() {
    try {
      await signOut();
    } catch (error) {
      showToast(errorMessage(error));
      return;
    }
    await navigate({ to: '/sign-in', search: {} });
    queryClient.clear();
  }

  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="nav-link">
          <CircleUserRound size={18} aria-hidden />
          <span className="truncate">{user.display_name}</span>
        </button>
      }
    >
      <MenuItem icon={Settings} onSelect={() => void navigate({ to: '/settings' })}>
        Settings
      </MenuItem>
      <MenuItem icon={Keyboard} shortcut="?" onSelect={() => show('shortcuts')}>
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuChoice label="Theme" value={theme} options={THEMES} onChange={setTheme} />
      <MenuSeparator />
      <MenuItem icon={LogOut} onSelect={() => void endSession()}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
