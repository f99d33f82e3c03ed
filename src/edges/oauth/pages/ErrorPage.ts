/** A page that describes an error and what to do about it. */
import { html } from "./Html.ts"
import * as Page from "./Page.ts"

export interface Trouble {
  readonly title: string
  /** The error and the advice, a paragraph each. All of it is escaped as text. */
  readonly paragraphs: ReadonlyArray<string>
  /** The id of the exchange, for a search in the log. */
  readonly requestId?: string
}

export const render = ({ paragraphs, requestId, title }: Trouble): Page.Page =>
  Page.make({
    title,
    body: html`<h1>${title}</h1>
      ${paragraphs.map((paragraph) => html`<p>${paragraph}</p> `)}${
        requestId === undefined ? null : html`<p class="quiet">Request id: ${requestId}</p>`
      }`
  })
