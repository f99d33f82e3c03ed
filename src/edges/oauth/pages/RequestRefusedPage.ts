/** The page for a wrong authorization request that is not redirected to its client. */
import * as ErrorPage from "./ErrorPage.ts"
import type { Page } from "./Page.ts"
import * as RedirectTarget from "./RedirectTarget.ts"

/** As in the protocol (RFC 6749, 4.1.2.1): text of this server, or of the request. */
export interface Refused {
  readonly error: string
  readonly description: string | undefined
  /** The address that would have received the error. The browser is not redirected there, and no link leads there. */
  readonly withheldFrom?: string
}

const advice: Readonly<Record<string, string>> = {
  server_error: "Something went wrong here. Go back to the assistant and connect again in a moment.",
  invalid_client:
    "This server does not know the assistant any more. Remove the connection in your assistant and add it again, so that it registers again.",
  invalid_redirect_uri:
    "The assistant has requested an answer at an address that it has not registered. Do not continue unless you began this yourself."
}

const withheld = (address: string): string =>
  `The answer would go to ${RedirectTarget.of(address).shown}. You are not redirected there, because no one has signed in.`

export const render = ({ description, error, withheldFrom }: Refused): Page =>
  ErrorPage.render({
    title: "This sign-in cannot begin",
    paragraphs: [
      advice[error] ??
        "The assistant has sent an invalid request for access. Go back to it and connect again from there.",
      description === undefined ? error : `${error}: ${description}`,
      ...(withheldFrom === undefined ? [] : [withheld(withheldFrom)])
    ]
  })
