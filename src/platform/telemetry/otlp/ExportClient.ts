/**
 * The HTTP client of exports: few at once, each with a deadline. A slow or failing receiver costs only the data of
 * that export.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Effect, Layer } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import { otlpTimeout } from "./OtlpSettings.ts"

/** The most concurrent exports. More would only wait for a slow receiver. */
const most = 8

const make = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  const timeout = yield* otlpTimeout.config
  let underWay = 0
  let isFailing = false

  const failed = (cause: Cause.Cause<unknown>) =>
    Effect.suspend(() => {
      if (isFailing || Cause.hasInterruptsOnly(cause)) return Effect.void
      isFailing = true
      return Effect.logWarning("Telemetry export failed; the data was dropped")
    })

  const succeeded = Effect.suspend(() => {
    if (!isFailing) return Effect.void
    isFailing = false
    return Effect.logInfo("Telemetry export works again")
  })

  return HttpClient.transform(client, (send) =>
    Effect.suspend(() => {
      // A defect is not retried: the exporter pauses and drops its data.
      if (underWay >= most) return Effect.die(new Error("too many exports at once"))
      underWay++
      return send.pipe(
        // Read here, so that an endless body has the same deadline.
        Effect.tap((response) => response.arrayBuffer),
        Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.die(new Error("no answer in time")) }),
        Effect.ensuring(Effect.sync(() => underWay--))
      )
    }).pipe(
      Effect.tapCause(failed),
      Effect.tap((response) => (response.status < 400 ? succeeded : failed(Cause.fail(response.status))))
    )
  )
})

export const layer = Layer.effect(HttpClient.HttpClient, make).pipe(Layer.provide(NodeHttpClient.layerUndici))
