/** The handlers of the request lifecycle, independent of the transport. */
import { Context, Effect, Layer } from "effect"
import * as Cancel from "./Cancel.ts"
import * as Erase from "./Erase.ts"
import * as Result from "./Result.ts"
import * as Retrieve from "./Retrieve.ts"
import * as Status from "./Status.ts"
import * as Submit from "./Submit.ts"

const handlers = Effect.all({
  submitting: Submit.make,
  status: Status.make,
  result: Result.make,
  cancel: Cancel.make,
  retrieve: Retrieve.make,
  erase: Erase.make
})

const make = Effect.map(handlers, ({ submitting, ...others }) => ({ ...submitting, ...others }))

export class RequestHandlers extends Context.Service<RequestHandlers, Effect.Success<typeof make>>()(
  "inferlog/src/edges/api/requests/RequestHandlers"
) {
  static readonly layer = Layer.effect(RequestHandlers, make)
}
