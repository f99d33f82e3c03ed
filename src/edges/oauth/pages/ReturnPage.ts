/**
 * Redirects the browser after a decision. Chromium checks every redirect after a form against the page's policy,
 * including those of the client's site; this page has no form. When an app opens outside the browser, this page
 * stays visible.
 */
import { html } from "./Html.ts"
import * as Page from "./Page.ts"
import * as RedirectTarget from "./RedirectTarget.ts"

export const render = (options: {
  readonly decision: "allow" | "deny"
  readonly redirectUri: string
  /** The target. */
  readonly address: string
}): Page.Page => {
  const title = options.decision === "allow" ? "Allowed" : "Denied"
  const { kind, shown } = RedirectTarget.of(options.redirectUri)
  const page = Page.make({
    title,
    body: html`<h1>${title}</h1>
      <p>
        ${
          kind === "app"
            ? "The app takes it from here: if the browser asks, let it open. Then this page can be closed."
            : html`You are taken back to ${shown}.`
        }
      </p>
      <p class="quiet">If nothing happens: <a href="${options.address}">go on</a></p>`
  })
  return { ...page, headers: { ...page.headers, refresh: `0; url=${options.address}` } }
}
