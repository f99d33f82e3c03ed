import type { Inferlog, RequestRef } from "@inferlog/client"

/** The request of one run, which can be cancelled at any time: also before the server has accepted it. */
export class CancellableRequest {
  #accepted: RequestRef | undefined
  #isCancelled = false
  #hasEnded = false
  readonly #client: Inferlog

  /** @param signal cancels the request, unless it has ended by then. */
  constructor(client: Inferlog, signal: AbortSignal | undefined) {
    this.#client = client
    signal?.addEventListener("abort", () => this.cancel())
  }

  /** The server has accepted it. */
  accept(request: RequestRef): void {
    this.#accepted = request
    if (this.#isCancelled) this.#send(request)
  }

  /** The request has ended: there is nothing left to cancel. */
  end(): void {
    this.#hasEnded = true
  }

  cancel(): void {
    if (this.#isCancelled || this.#hasEnded) return
    this.#isCancelled = true
    if (this.#accepted !== undefined) this.#send(this.#accepted)
  }

  /** The request may have ended meanwhile. */
  #send(request: RequestRef): void {
    this.#client.cancel(request).catch(() => {})
  }
}
