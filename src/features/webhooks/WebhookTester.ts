/** Sends a sample to a URL as a delivery would be sent, and reports what came back. Nothing of it is on the log. */
import * as crypto from "node:crypto"
import { Clock, Context, Duration, Effect, Layer, Result } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type { AttemptResult } from "#domain/webhook-delivery/Command.ts"
import * as DeliverySchedule from "#domain/webhook-delivery/DeliverySchedule.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as PostResult from "./deliveries/PostResult.ts"
import * as ReceiverAnswer from "./ReceiverAnswer.ts"
import * as SignedRequest from "./SignedRequest.ts"
import type { SecretsUnreadable } from "./SigningSecrets.ts"

export interface Tested {
  readonly request: SignedRequest.SignedRequest
  readonly result: AttemptResult
  readonly answer: ReceiverAnswer.ReceiverAnswer | null
  readonly durationMs: number
}

/** Random bytes of `webhook-id`: 22 characters, as in the ids of deliveries. Receivers that remember ids take each as new. */
const idBytes = 16

export class WebhookTester extends Context.Service<
  WebhookTester,
  {
    /** Posts `body` once, vetted, signed and timed like an attempt of a delivery. */
    send(options: {
      readonly accountId: AccountId
      readonly url: string
      readonly body: string
    }): Effect.Effect<Tested, SecretsUnreadable | EventStoreError>
  }
>()("inferlog/src/features/webhooks/WebhookTester") {
  static readonly layer = Layer.effect(
    WebhookTester,
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const sign = yield* SignedRequest.make
      const clock = yield* Clock.Clock
      const timeout = Duration.millis(DeliverySchedule.attemptTimeoutMs)

      return WebhookTester.of({
        send: Effect.fn("WebhookTester.send")(function* ({ accountId, body, url }) {
          const id = `msg_${crypto.randomBytes(idBytes).toString("base64url")}`
          const request = yield* sign(id, accountId, body)
          const since = MonotonicTime.millisOf(clock)
          const end = yield* Effect.exit(outbound.post({ url, timeout, ...request }))
          const durationMs = MonotonicTime.millisOf(clock) - since
          const result = PostResult.of(end)
          if (Result.isFailure(result)) return yield* Effect.failCause(result.failure)
          const answer = end._tag === "Success" ? ReceiverAnswer.of(end.value) : null
          return { request, result: result.success, answer, durationMs }
        })
      })
    })
  )
}
