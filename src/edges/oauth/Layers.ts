/** The services for signing in assistants. */
import { Layer } from "effect"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import * as OAuth from "./OAuth.ts"
import { OAuthDatabase } from "./OAuthDatabase.ts"
import { SignIn } from "./SignIn.ts"

export const layer = Layer.merge(OAuth.layer, SignIn.layer).pipe(
  Layer.provideMerge(OAuthDatabase.layer),
  Layer.provide(Telemetry.untraced)
)
