import './kbd.css';

/** Keys as they are written on them: `g h` is one after the other. */
export function Kbd({ children }: { children: string }) {
  return (
    <span className="kbd-group">
      {children.split(' ').map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a chord may name a key twice, and never changes
        <kbd key={index} className="kbd">
          {key}
        </kbd>
      ))}
    </span>
  );
}
