/** The sign-in page of an assistant: who asks for what, and a form to sign in and decide. It needs no script. */
import type { PendingAuthorization } from "../Interactions.ts"
import * as Lifetimes from "../Lifetimes.ts"
import * as ClientName from "./ClientName.ts"
import { type Html, html } from "./Html.ts"
import * as Page from "./Page.ts"
import * as RedirectTarget from "./RedirectTarget.ts"
import type { SignInError } from "./SignInError.ts"

export interface SignInForm {
  readonly asking: Pick<PendingAuthorization, "clientName" | "redirectUri">
  /** Proves that the form was made for this browser (`FormToken`). */
  readonly token: string
  /** The account entered before. Secrets are never repeated. */
  readonly account: string
  readonly error: SignInError | null
  readonly docsUrl: string
}

export const render = (form: SignInForm): Page.Page => {
  const target = RedirectTarget.of(form.asking.redirectUri)
  return Page.make({
    title: form.error === null ? "Allow an assistant" : "Error: allow an assistant",
    formTargets: [target.source],
    body: html`${form.error === null ? null : alert(form.error)} ${whoAsks(form.asking.clientName)}
    ${whereTo(target)} ${forWhat} ${signIn(form)} ${takingBack(form.docsUrl)}`
  })
}

// Without scripts, `autofocus` moves the focus.
const alert = ({ advice, field, what }: SignInError): Html =>
  html`<div class="problem" id="problem" role="alert" tabindex="-1" autofocus>
    <strong>${what}</strong>
    <p>${advice} <a href="#${field}">To the field</a></p>
  </div>`

const whoAsks = (clientName: string | null): Html => {
  const name = ClientName.shown(clientName)
  return name === null
    ? html`<h1>Allow an assistant to use your account?</h1>
        <p class="quiet">It does not say what it is called.</p>`
    : html`<h1>Allow <bdi>${name}</bdi> to use your account?</h1>
        <p class="quiet">That is what the assistant calls itself. The name has not been checked.</p>`
}

const whereTo = ({ kind, shown }: RedirectTarget.RedirectTarget): Html =>
  html`<div class="to">
    <p>
      <span class="quiet">Your answer goes to</span>
      <strong>${shown}${kind === "computer" ? " (this computer)" : null}</strong>
    </p>
    <p class="quiet">${onlyIf[kind]}</p>
  </div>`

const onlyIf: Readonly<Record<RedirectTarget.RedirectTarget["kind"], string>> = {
  site: "Go on only if you have come from there.",
  computer: "Go on only if a program that you use here has sent you.",
  app: "Go on only if you have come from the app that such an address opens."
}

const forWhat = html`<h2>It will be able to</h2>
  <ul>
    <li>run models, which spends the account’s balance</li>
    <li>see the account’s requests and their results</li>
    <li>upload files</li>
  </ul>
  <p class="quiet">It does not learn your key or password, and may do no more than the key itself.</p>`

/** The allow button comes first, because Enter activates it. With an empty form it does nothing. */
const signIn = ({ account, error, token }: SignInForm): Html => {
  const isKeyWrong = error?.field === "api_key"
  const isPasswordWrong = error?.field === "account"
  return html`<h2 id="sign-in">Sign in to allow it</h2>
    <form method="post" aria-labelledby="sign-in">
      <input type="hidden" name="csrf" value="${token}" />
      <label for="api_key">API key</label>
      <input id="api_key" name="api_key" type="password" ${unsaved} ${verbatim} ${described(isKeyWrong)} />
      <details ${account !== "" || isPasswordWrong ? html`open` : null}>
        <summary>With the account’s password</summary>
        <label for="account">Account</label>
        <input
          id="account"
          name="account"
          type="text"
          value="${account}"
          autocomplete="username"
          ${verbatim}
          ${described(isPasswordWrong, "account-hint")}
        />
        <p class="hint" id="account-hint">Its id, such as acc_0123456789abcdef</p>
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          ${described(isPasswordWrong)}
        />
      </details>
      <div class="decision">
        <button name="decision" value="allow">Allow</button>
        <button name="decision" value="deny" formnovalidate>Deny</button>
      </div>
    </form>`
}

/** @param hint id of the field's permanent hint. */
const described = (isWrong: boolean, ...hint: ReadonlyArray<string>): Html | null => {
  const by = [...hint, ...(isWrong ? ["problem"] : [])]
  if (by.length === 0) return null
  return html`${isWrong ? html`aria-invalid="true"` : null} aria-describedby="${by.join(" ")}"`
}

const verbatim = html`autocapitalize="none" spellcheck="false"`

/** With `off` browsers fill in a stored password, and offer to store the key as one. */
const unsaved = html`autocomplete="one-time-code"`

const takingBack = (docsUrl: string): Html =>
  html`<div class="ending">
    <h2>Until you take it back</h2>
    <p class="quiet">
      It lasts until the key is revoked or replaced, or expires, and ends by itself when it is not used for
      ${unusedDays} days. With the password a key is made for this assistant alone, under its name; another
      password ends it.
      <a href="${docsUrl}" target="_blank" rel="noopener">How to list and revoke keys</a>
    </p>
  </div>`

const unusedDays = Math.floor(Lifetimes.refreshToken / Lifetimes.day)
