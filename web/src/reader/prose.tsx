import type { ReactNode } from 'react';
import { SIZES, useReaderSettings } from './settings.ts';

/** Languages that are written from right to left; of others, the first letter of the text decides. */
const FROM_RIGHT = /^(ar|arc|ckb|dv|fa|he|ks|nqo|ps|sd|ug|ur|yi)(-|$)/i;

/** Text as this person likes to read it. */
export function Prose({ language, children }: { language: string | null; children: ReactNode }) {
  const { face, spacing, size } = useReaderSettings();
  return (
    <div
      className="prose"
      data-face={face}
      data-spacing={spacing}
      style={{ ['--prose-size' as string]: `${(SIZES[size] ?? 19) / 16}rem` }}
      dir={language && FROM_RIGHT.test(language) ? 'rtl' : 'auto'}
      {...(language && { lang: language })}
    >
      {children}
    </div>
  );
}
