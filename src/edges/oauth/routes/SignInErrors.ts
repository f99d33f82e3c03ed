/** The pages that show users what went wrong with a sign-in. */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountClosed, AccountNotFound } from "#src/features/accounts/AccountErrors.ts"
import type { TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import type { TooManyAttempts } from "../AttemptLimit.ts"
import type { InteractionGone } from "../Interactions.ts"
import * as ErrorPage from "../pages/ErrorPage.ts"
import * as SignInError from "../pages/SignInError.ts"
import type { NothingGranted, SignInRefused, TooManySignIns } from "../SignIn.ts"
import { toolScopes } from "../ToolScopes.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PageAnswer from "./PageAnswer.ts"

/** The page for a sign-in that has expired, has ended, or began in another browser. */
const gonePage = ErrorPage.render({
  title: "This sign-in is over",
  paragraphs: [
    "It took too long, has ended already, or was begun in another browser. A browser that keeps no cookies for this site cannot sign in either.",
    "Go back to your assistant and connect again from there."
  ]
})

/** Errors that the user can correct in the form. */
export type Correctable =
  | SignInRefused
  | NothingGranted
  | TooManySignIns
  | TooManyKeys
  | AccountNotFound
  | AccountClosed

export const correctable = [
  "SignInRefused",
  "NothingGranted",
  "TooManySignIns",
  "TooManyKeys",
  "AccountNotFound",
  "AccountClosed"
] as const satisfies ReadonlyArray<Correctable["_tag"]>

export const headersOf = (error: Correctable): Readonly<Record<string, string>> =>
  error._tag === "TooManySignIns" ? { "retry-after": String(error.retryAfterSeconds) } : {}

/** @param by the kind of credential. */
export const toSignInError = (error: Correctable, by: "Key" | "Password"): SignInError.SignInError => {
  switch (error._tag) {
    case "SignInRefused":
      return by === "Key" ? SignInError.keyRefused : SignInError.passwordRefused
    case "NothingGranted":
      return SignInError.nothingGranted(toolScopes)
    case "TooManySignIns":
      return SignInError.tooManySignIns(error.retryAfterSeconds, by)
    case "TooManyKeys":
      return SignInError.tooManyKeys(error.limit)
    case "AccountNotFound":
    case "AccountClosed":
      return SignInError.accountClosed
  }
}

export const foreignForm = new ErrorAnswer.ErrorAnswer({
  status: 403,
  error: "The form was not sent from the page of this sign-in."
})

type Final = InteractionGone | TooManyAttempts | ErrorAnswer.ErrorAnswer | EventStoreError | SqlError

const again = "Go back to your assistant and connect again from there."

const tooManyTries: ErrorPage.Trouble = {
  title: "Too many wrong tries",
  paragraphs: ["Nothing more can be entered for this sign-in.", again]
}

const unavailable: ErrorPage.Trouble = {
  title: "Not possible at the moment",
  paragraphs: ["The service cannot reach its storage. Go back and try again in a moment."]
}

const unexpected: ErrorPage.Trouble = {
  title: "Something went wrong here",
  paragraphs: [
    "The fault is on our side. Try again in a moment, or send the id below to the operator of this service."
  ]
}

const toResponse = (error: Final, requestId: string): HttpServerResponse => {
  switch (error._tag) {
    case "InteractionGone":
      return PageAnswer.make(410, gonePage)
    case "TooManyAttempts":
      return PageAnswer.make(429, ErrorPage.render({ ...tooManyTries, requestId }))
    case "ErrorAnswer": {
      const unreadable = { title: "This form cannot be taken", paragraphs: [String(error.error), again] }
      return PageAnswer.make(error.status, ErrorPage.render({ ...unreadable, requestId }), error.headers)
    }
    case "SqlError":
    case "EventStoreError":
      return PageAnswer.make(503, ErrorPage.render({ ...unavailable, requestId }), { "retry-after": "5" })
  }
}

const logged = (error: Final): Effect.Effect<void> =>
  error._tag === "SqlError" || error._tag === "EventStoreError"
    ? Effect.logError("Storage failed a sign-in", error)
    : Effect.void

/** Errors of this server are logged under the id on the page. */
export const asPages = <E extends Final, R>(answer: Effect.Effect<HttpServerResponse, E, R>) =>
  Effect.flatMap(UnderWay, ({ correlationId }) =>
    answer.pipe(
      Effect.catch((error) => Effect.as(logged(error), toResponse(error, correlationId))),
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError("Unexpected error", defect),
          PageAnswer.make(500, ErrorPage.render({ ...unexpected, requestId: correlationId }))
        )
      )
    )
  )
