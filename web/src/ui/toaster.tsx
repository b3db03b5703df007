import './toast.css';
import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { dismissToast, takeToastAction, toastStore } from './toasts.ts';

/** Where toasts appear; once in the page. */
export function Toaster() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get);
  return (
    <section className="toasts" aria-label="Notices" aria-live="polite">
      {toasts.map(({ id, text, action }) => (
        <div key={id} className="toast">
          <span className="toast-text">{text}</span>
          {action && (
            <button type="button" className="toast-action" onClick={() => takeToastAction(id)}>
              {action.label}
            </button>
          )}
          <button type="button" className="toast-close" aria-label="Dismiss" onClick={() => dismissToast(id)}>
            <X size={16} aria-hidden />
          </button>
        </div>
      ))}
    </section>
  );
}
