/**
 * Takes the browser on after a decision. Chromium holds every redirect after a form against the policy of its page, those of
 * the client's own sites as well; where this page leads, no form does. Of an app that opens outside of the browser it is
 * what stays to be seen.
 */
import { html } from "./Html.ts"
import * as Page from "./Page.ts"
import * as RedirectTarget from "./RedirectTarget.ts"

export const render = (options: {
  readonly decision: "allow" | "deny"
  readonly redirectUri: string
  /** Where to. */
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
