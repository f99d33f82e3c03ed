import type { Inferlog, RequestRef } from "@inferlog/client"

/** The request of one run, which can be cancelled at any time: also before the server has accepted it. */
export class Accepted {
  #request: RequestRef | undefined
  #isCancelled = false
  #hasEnded = false
  readonly #client: Inferlog

  /** @param signal cancels the request, unless it has ended by then. */
  constructor(client: Inferlog, signal: AbortSignal | undefined) {
    this.#client = client
    signal?.addEventListener("abort", () => this.cancel())
  }

  /** The server has it. */
  is(request: RequestRef): void {
    this.#request = request
    if (this.#isCancelled) this.#send(request)
  }

  /** Nothing can be cancelled any more. */
  hasEnded(): void {
    this.#hasEnded = true
  }

  cancel(): void {
    if (this.#isCancelled || this.#hasEnded) return
    this.#isCancelled = true
    if (this.#request !== undefined) this.#send(this.#request)
  }

  /** The request may have ended meanwhile. */
  #send(request: RequestRef): void {
    this.#client.cancel(request).catch(() => {})
  }
}
