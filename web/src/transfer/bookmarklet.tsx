import { Bookmark } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button, buttonClass } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.ts';

/** Runs on whatever page it is clicked on: opens the page that saves, or goes there where windows are forbidden. */
export function bookmarkletFor(origin: string): string {
  const page = JSON.stringify(`${origin}/app/save?url=`);
  return (
    `javascript:(()=>{const u=${page}+encodeURIComponent(location.href)+'&title='+encodeURIComponent(document.title);` +
    `window.open(u,'nexus-save','width=480,height=560')||(location.href=u)})()`
  );
}

/** A button to drag to the bookmarks, and its code for who cannot drag. */
export function Bookmarklet() {
  const link = useRef<HTMLAnchorElement>(null);
  const code = bookmarkletFor(window.location.origin);
  // Set here, because React refuses such an address. The Content-Security-Policy keeps it from running on this page.
  useEffect(() => link.current?.setAttribute('href', code), [code]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(code);
      showToast('Copied. Make a bookmark, and put this in place of its address.');
    } catch {
      showToast('This browser does not allow copying here. Drag the button instead.');
    }
  }

  return (
    <>
      <p>
        Drag this button to your bookmarks bar. On any page, one click on it and one on Save keep the page in
        Nexus.
      </p>
      <div className="transfer-actions">
        <a
          ref={link}
          href="/app/save"
          className={buttonClass('secondary')}
          onClick={(event) => {
            event.preventDefault();
            showToast('Drag it to your bookmarks bar, and click it there.');
          }}
        >
          <Bookmark size={16} aria-hidden />
          Save to Nexus
        </a>
        <Button look="ghost" onClick={() => void copy()}>
          Copy its code
        </Button>
      </div>
      <p className="field-hint">
        On a phone, install Nexus from the browser’s menu (Add to home screen). It then appears where you
        share links.
      </p>
    </>
  );
}
