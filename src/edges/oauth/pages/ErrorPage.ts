/** A page that says what went wrong, and what to do about it. */
import { html } from "./Html.ts"
import * as Page from "./Page.ts"

export interface Trouble {
  readonly title: string
  /** What is the matter and what to do, a paragraph each. Anything in them is text. */
  readonly paragraphs: ReadonlyArray<string>
  /** Of the exchange, for whoever looks into the log. */
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
