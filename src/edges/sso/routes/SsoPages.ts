/** The pages of single sign-on. They show no text of the issuer except a name, and the word of its error. */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as ErrorPage from "#src/edges/oauth/pages/ErrorPage.ts"
import { html } from "#src/edges/oauth/pages/Html.ts"
import * as Page from "#src/edges/oauth/pages/Page.ts"
import * as PageAnswer from "#src/edges/oauth/routes/PageAnswer.ts"
import type { SignInRepeated } from "#src/features/operators/OperatorSessions.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { AnswerRefused, IssuerAway } from "../Issuer.ts"
import type { NoPendingSignIn, NoRole, SignInsBusy } from "../SingleSignOn.ts"
import * as Paths from "../Paths.ts"

const again = `Open ${Paths.signIn} to sign in.`

export const signedIn = (operator: Operator, signOutOrigin: string | null): HttpServerResponse =>
  PageAnswer.make(
    200,
    Page.make({
      title: "You are signed in",
      body: html`<h1>You are signed in</h1>
        <p>As ${operator.name}, with the role ${operator.role}.</p>
        <form method="post" action="${Paths.signOut}"><button type="submit">Sign out</button></form>`,
      formTargets: signOutOrigin === null ? [] : [signOutOrigin]
    })
  )

/** The person hands the session over, so that no program can take it behind a sign-in that the issuer does by itself. */
export const handOff = (operator: Operator, address: string): HttpServerResponse =>
  PageAnswer.make(
    200,
    Page.make({
      title: "Sign in a command line",
      body: html`<h1>Sign in a command line</h1>
        <p>
          A program on this machine asks to act as ${operator.name}, with the role ${operator.role}. Go on
          only if you have just run <code>inferlog login</code> here.
        </p>
        <p><a href="${address}">Sign in the command line</a></p>`
    })
  )

export const wrongWaiting = PageAnswer.make(
  400,
  ErrorPage.render({
    title: "This address is not complete",
    paragraphs: ["Run inferlog login again, and open the address that it prints."]
  })
)

export const notSignedIn = PageAnswer.make(
  401,
  ErrorPage.render({ title: "You are not signed in", paragraphs: [again] })
)

export const signedOut = PageAnswer.make(
  200,
  ErrorPage.render({
    title: "You are signed out",
    paragraphs: ["The issuer may still know you in this browser: sign out there as well.", again]
  })
)

export const notSetUp = PageAnswer.make(
  404,
  ErrorPage.render({
    title: "Single sign-on is not set up",
    paragraphs: ["Operators of this server sign in with their keys. The setting OIDC_ISSUER changes that."]
  })
)

export const foreignForm = PageAnswer.make(
  403,
  ErrorPage.render({ title: "This was not sent from here", paragraphs: ["Nothing has changed."] })
)

export const tooMany = (seconds: number) =>
  PageAnswer.make(
    429,
    ErrorPage.render({
      title: "Too many sign-ins",
      paragraphs: [`Too many sign-ins come from this address. Try again in ${seconds} s.`]
    }),
    { "retry-after": String(seconds) }
  )

export type Failure =
  | NoPendingSignIn
  | NoRole
  | SignInsBusy
  | SignInRepeated
  | IssuerAway
  | AnswerRefused
  | EventStoreError

interface Shown extends ErrorPage.Trouble {
  readonly status: number
}

const over = {
  status: 410,
  title: "This sign-in is over",
  paragraphs: ["It took too long, has ended already, or was begun in another browser.", again]
}

const shown = (error: Failure): Shown => {
  switch (error._tag) {
    case "NoPendingSignIn":
    case "SignInRepeated":
      return over
    case "NoRole":
      return {
        status: 403,
        title: "You have no role here",
        paragraphs: [
          "The issuer knows you, and gives you no role on this server. Ask those who run it for one, then sign in again."
        ]
      }
    case "AnswerRefused":
      return {
        status: 403,
        title: "The sign-in was refused",
        paragraphs: [`The answer of the issuer is no valid sign-in (${error.code}).`, again]
      }
    case "SignInsBusy":
    case "IssuerAway":
      return {
        status: 503,
        title: "The issuer cannot be reached",
        paragraphs: ["The service that signs you in gives no answer at the moment. Try again in a moment."]
      }
    case "EventStoreError":
      return {
        status: 503,
        title: "Not possible at the moment",
        paragraphs: ["The service cannot reach its storage. Try again in a moment."]
      }
  }
}

const logged = (error: Failure): Effect.Effect<void> => {
  switch (error._tag) {
    case "EventStoreError":
      return Effect.logError("Storage failed the sign-in of an operator", error)
    case "IssuerAway":
      return Effect.logWarning("The issuer of single sign-on cannot be reached").pipe(
        Effect.annotateLogs({ reason: error.reason })
      )
    case "AnswerRefused":
      return Effect.logWarning("An answer of the issuer of single sign-on was refused").pipe(
        Effect.annotateLogs({ code: error.code })
      )
    default:
      return Effect.void
  }
}

/** Errors are logged under the id on the page. */
export const asPages = <R>(answer: Effect.Effect<HttpServerResponse, Failure, R>) =>
  Effect.flatMap(UnderWay, ({ correlationId }) =>
    Effect.catch(answer, (error) => {
      const { status, ...trouble } = shown(error)
      const page = ErrorPage.render({ ...trouble, requestId: correlationId })
      return Effect.as(
        logged(error),
        PageAnswer.make(status, page, status === 503 ? { "retry-after": "5" } : {})
      )
    })
  )
