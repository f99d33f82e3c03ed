/** The HTTP API with a dispatcher that runs the built-in models, in this process. */
import { Layer, References } from "effect"
import * as TestServer from "#test/support/TestServer.ts"

/** With the built-in catalog on its log. Uses the live clock. */
export const layer = TestServer.layer({ catalogOnLog: true, dispatches: true }).pipe(
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
)
