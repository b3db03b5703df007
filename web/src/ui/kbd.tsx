import './kbd.css';

/** Shows keys; `g h` is a sequence of two. */
export function Kbd({ children }: { children: string }) {
  return (
    <span className="kbd-group">
      {children.split(' ').map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sequence never changes and may repeat a key
        <kbd key={index} className="kbd">
          {key}
        </kbd>
      ))}
    </span>
  );
}
