/**
 * A Node server that shows each request to a front first; what the front does not take goes on to the server's listeners.
 * From the moment it is closed it takes no more requests, on connections that are kept open neither.
 */
import * as http from "node:http"
import { Context, Effect, type Scope } from "effect"

/** Whether it answers the request. One that says no must not have touched it. */
export type Take = (request: http.IncomingMessage, response: http.ServerResponse) => boolean

const takeNone: Take = () => false

/** ms between two looks for connections whose last answer is done. */
const idleCheckMs = 20

export interface Closing {
  /** Called once, when the server is told to close. */
  readonly onClose: () => void
  /** Answers a request that comes after that, and ends its connection. */
  readonly refuse: (request: http.IncomingMessage, response: http.ServerResponse) => void
}

class NodeServer extends http.Server {
  take: Take = takeNone
  readonly #closing: Closing
  #isClosing = false

  constructor(options: http.ServerOptions, closing: Closing) {
    super(options)
    this.#closing = closing
  }

  override emit(event: string, ...args: Array<unknown>): boolean {
    if (event !== "request") return super.emit(event, ...args)
    const [request, response] = args
    if (!(request instanceof http.IncomingMessage) || !(response instanceof http.ServerResponse)) return false
    if (!this.#isClosing) return this.take(request, response) || super.emit(event, ...args)
    this.#closing.refuse(request, response)
    return true
  }

  override close(callback?: (error?: Error) => void): this {
    if (!this.#isClosing) {
      this.#isClosing = true
      this.#closing.onClose()
      this.#closeAsTheyIdle()
    }
    return super.close(callback)
  }

  /** Node closes connections that idle now; those in the middle of an answer would be kept for their next request. */
  #closeAsTheyIdle() {
    const timer = setInterval(() => this.closeIdleConnections(), idleCheckMs)
    this.once("close", () => clearInterval(timer))
  }
}

export class Front extends Context.Service<
  Front,
  {
    /** Until the scope closes. There is one front at a time. */
    readonly place: (take: Take) => Effect.Effect<void, never, Scope.Scope>
  }
>()("inferlog/src/http/Front") {}

export interface Fronted {
  readonly server: http.Server
  readonly front: Front["Service"]
}

export const make = (options: http.ServerOptions, closing: Closing): Fronted => {
  const server = new NodeServer(options, closing)
  const place = (take: Take) =>
    Effect.acquireRelease(
      Effect.sync(() => void (server.take = take)),
      () => Effect.sync(() => void (server.take = takeNone))
    )
  return { server, front: Front.of({ place }) }
}
