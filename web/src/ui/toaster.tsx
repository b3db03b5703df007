import './toast.css';
import { X } from 'lucide-react';
import { useStore } from '../api/store.ts';
import { dismissToast, takeToastAction, toastStore } from './toasts.ts';

/** Shows all toasts. Rendered once. */
export function Toaster() {
  const toasts = useStore(toastStore);
  return (
    <section className="toasts" aria-label="Notifications" aria-live="polite">
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
