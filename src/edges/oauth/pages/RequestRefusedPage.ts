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
    "This server does not know the assistant any more. Remove the connection in your assistant and add it again: it then makes itself known anew.",
  invalid_redirect_uri:
    "The assistant wants to be answered at an address that it has not registered. Go no further if you did not begin this yourself."
}

const withheld = (address: string): string =>
  `The answer would go to ${RedirectTarget.of(address).shown}. Nobody has signed in, so you have not been sent there.`

export const render = ({ description, error, withheldFrom }: Refused): Page =>
  ErrorPage.render({
    title: "This sign-in cannot begin",
    paragraphs: [
      advice[error] ??
        "The assistant has asked for access in a way that cannot be answered. Go back to it and connect again from there.",
      description === undefined ? error : `${error}: ${description}`,
      ...(withheldFrom === undefined ? [] : [withheld(withheldFrom)])
    ]
  })
