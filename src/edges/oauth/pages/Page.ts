/** The frame of all sign-in pages, and the headers that they must be sent with. */
import { type Html, html, raw } from "./Html.ts"
import * as Style from "./Style.ts"

export interface Page {
  readonly html: string
  /** By lower-case name, including the content type. */
  readonly headers: Readonly<Record<string, string>>
}

export const contentType = "text/html; charset=utf-8"

/** Title and body are text only: the page has no script, and the policy allows none. */
export const make = (options: {
  readonly title: string
  readonly body: Html
  /** Targets that its form may lead to besides this server, as policy sources (`RedirectTarget`). None: no form. */
  readonly formTargets?: ReadonlyArray<string>
}): Page => ({
  html: document(options).text,
  headers: {
    "content-type": contentType,
    "cache-control": "no-store",
    "content-security-policy": [
      "default-src 'none'",
      `style-src ${Style.source}`,
      "img-src data:",
      `form-action ${options.formTargets === undefined ? "'none'" : ["'self'", ...options.formTargets].join(" ")}`,
      "frame-ancestors 'none'",
      "base-uri 'none'"
    ].join("; "),
    "x-frame-options": "DENY",
    // With `no-referrer` browsers would send `Origin: null` with the form.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff"
    // No Cross-Origin-Opener-Policy: clients that open the sign-in in a separate window would lose access to it.
  }
})

const style = raw(`<style>${Style.css}</style>`)

const document = ({ title, body }: { readonly title: string; readonly body: Html }): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} – inferlog</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        ${style}
      </head>
      <body>
        <header>inferlog</header>
        <main>${body}</main>
      </body>
    </html> `
