import { CopyButton } from './copy-button.tsx';

/** JSON as it is, to be read and copied. */
export function JsonView({ label, value }: { label: string; value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <figure className="console-code" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable from the keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
    </figure>
  );
}
