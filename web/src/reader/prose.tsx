import type { ReactNode } from 'react';
import { SIZES, useReaderSettings } from './settings.ts';

/** Languages that are written from right to left. For others, the browser decides by the text. */
const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|ks|nqo|ps|sd|ug|ur|yi)(-|$)/i;

/** Text in the font, size and spacing that the person has chosen. */
export function Prose({ language, children }: { language: string | null; children: ReactNode }) {
  const { face, spacing, size } = useReaderSettings();
  return (
    <div
      className="prose"
      data-face={face}
      data-spacing={spacing}
      style={{ ['--prose-size' as string]: `${(SIZES[size] ?? 19) / 16}rem` }}
      dir={language && RIGHT_TO_LEFT.test(language) ? 'rtl' : 'auto'}
      {...(language && { lang: language })}
    >
      {children}
    </div>
  );
}
