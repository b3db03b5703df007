import { useShortcuts } from '../keyboard/shortcuts.ts';

const rows = () => [...document.querySelectorAll<HTMLTableRowElement>('main .table tbody tr')];
const target = (row: Element | undefined) =>
  row?.querySelector<HTMLElement>('a, button') ?? row?.querySelector<HTMLElement>('input');

/** `j` and `k` move between the rows of the table, `x` selects the focused row, Enter opens it. */
export function useRowKeys(): void {
  const move = (step: number) => {
    const all = rows();
    const current = all.findIndex((row) => row.contains(document.activeElement));
    const next = current === -1 ? (step > 0 ? 0 : all.length - 1) : current + step;
    target(all[Math.max(0, Math.min(all.length - 1, next))])?.focus();
  };
  useShortcuts([
    { keys: 'j', label: 'Next row', group: 'List', run: () => move(1) },
    { keys: 'k', label: 'Previous row', group: 'List', run: () => move(-1) },
    {
      keys: 'x',
      label: 'Select row',
      group: 'List',
      run: () =>
        document.activeElement
          ?.closest('tr')
          ?.querySelector<HTMLInputElement>('input[type="checkbox"]')
          ?.click(),
    },
  ]);
}
