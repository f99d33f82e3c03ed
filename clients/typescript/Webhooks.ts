import { segment } from "./Addresses.ts"
import type { Http } from "./Http.ts"
import { type Paged, paged } from "./Iterating.ts"
import type { CallOptions } from "./Scope.ts"
import { type VerifyOptions, verifyWebhook } from "./VerifyWebhook.ts"
import type * as Wire from "./Wire.ts"

export interface RecoverPeriod {
  /** Deliveries created at or after this time. */
  readonly since: string | Date
  /** Deliveries created before this time. Default: now. */
  readonly until?: string | Date | undefined
  /** Only counts them. */
  readonly preview?: boolean | undefined
}

const deliveryPath = (id: string) => `/webhooks/deliveries/${segment(id)}`

/** Deliveries of webhooks and their secret (docs/apps/webhooks.md). */
export class Webhooks {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** The event of a delivery. The same as `verifyWebhook`, which needs no client. */
  verify(options: VerifyOptions): Promise<Wire.WebhookEvent> {
    return verifyWebhook({ now: this.#http.clock.now(), ...options })
  }

  /** Newest first. */
  deliveries(filter: Wire.ListDeliveriesQuery = {}, options?: CallOptions): Paged<Wire.Deliveries> {
    return paged(this.#http, "/webhooks/deliveries", { ...filter }, options)
  }

  delivery(id: string, options?: CallOptions): Promise<Wire.DetailedDelivery> {
    return this.#http.ask({ path: deliveryPath(id) }, options)
  }

  /** One attempt, from 1, as it was sent and answered. */
  attempt(id: string, attempt: number, options?: CallOptions): Promise<Wire.DetailedAttempt> {
    return this.#http.ask({ path: `${deliveryPath(id)}/attempts/${attempt}` }, options)
  }

  /** Sends the delivery again. */
  replay(id: string, options?: CallOptions): Promise<Wire.Delivery> {
    return this.#http.postOnce(`${deliveryPath(id)}/replay`, undefined, options)
  }

  /** Sends all failed deliveries of a period again. */
  recover(period: RecoverPeriod, options?: CallOptions): Promise<Wire.Recovery> {
    return this.#http.postOnce("/webhooks/deliveries/recover", period, options)
  }

  secret(options?: CallOptions): Promise<Wire.SigningSecret> {
    return this.#http.ask({ path: "/webhooks/default/secret" }, options)
  }

  rotateSecret(
    rotation?: Wire.RotateSigningSecret,
    options?: CallOptions
  ): Promise<Wire.RotatedSigningSecret> {
    return this.#http.postOnce("/webhooks/default/secret/rotate", rotation, options)
  }

  /** Sends a sample to a receiver, once. */
  test(receiver: Wire.TestWebhook, options?: CallOptions): Promise<Wire.WebhookTest> {
    return this.#http.postOnce("/webhooks/test", receiver, options)
  }
}
