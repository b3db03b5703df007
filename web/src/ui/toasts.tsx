import './toast.css';
import { X } from 'lucide-react';
import { createStore, useStore } from '../api/store.ts';

interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
  /** Called when the toast disappears without its action having been used. */
  onExpire?: () => void;
}

const SHOWN_MS = 6000;
const HELD_MS = 1000;

const toastStore = createStore<readonly Toast[]>([]);
let lastId = 0;
/** Whether the pointer or the focus is on a toast. It stays then: its action is about to be used. */
let isHeld = false;

/** Shows a short message with at most one action, such as Undo. */
export function showToast(text: string, options: Pick<Toast, 'action' | 'onExpire'> = {}): void {
  lastId += 1;
  const toast = { id: lastId, text, ...options };
  toastStore.set((toasts) => [...toasts, toast]);
  setTimeout(() => expire(toast), SHOWN_MS);
}

/** Removes all messages, without what would follow when they expire. */
export function clearToasts(): void {
  toastStore.set([]);
  hold(false);
}

function expire(toast: Toast): void {
  if (isHeld) setTimeout(() => expire(toast), HELD_MS);
  else dismiss(toast);
}

function hold(held: boolean): void {
  isHeld = held;
}

function dismiss(toast: Toast): void {
  if (remove(toast)) toast.onExpire?.();
}

function takeAction(toast: Toast): void {
  if (remove(toast)) toast.action?.run();
}

/** Returns false when the toast is already gone. */
function remove(toast: Toast): boolean {
  const isShown = toastStore.get().includes(toast);
  toastStore.set((toasts) => toasts.filter((other) => other !== toast));
  // No event says that the pointer has left a toast that disappears below it.
  if (toastStore.get().length === 0) hold(false);
  return isShown;
}

/** Runs the newest action that is offered. */
export function takeNewestAction(): void {
  const toast = toastStore.get().findLast(({ action }) => action !== undefined);
  if (toast) takeAction(toast);
}

/** Shows all toasts. Rendered once. */
export function Toaster() {
  const toasts = useStore(toastStore);
  return (
    <section
      className="toasts"
      aria-label="Notifications"
      aria-live="polite"
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      {toasts.map((toast) => (
        <div key={toast.id} className="toast">
          <span className="toast-text">{toast.text}</span>
          {toast.action && (
            <button type="button" className="toast-action" onClick={() => takeAction(toast)}>
              {toast.action.label}
            </button>
          )}
          <button type="button" className="toast-close" aria-label="Dismiss" onClick={() => dismiss(toast)}>
            <X size={16} aria-hidden />
          </button>
        </div>
      ))}
    </section>
  );
}
