/**
 * A Node server that shows each request to a front first; what the front does not take goes on to the server's listeners.
 * From the moment it is closed it takes no more requests, on connections that are kept open neither; and no connection has
 * more than so many requests waiting.
 */
import * as http from "node:http"
import * as net from "node:net"
import { Context, Effect, type Scope } from "effect"
import type { Refusal as Refused } from "../Refusal.ts"
import * as Pipelining from "./Pipelining.ts"
import * as PlainRequest from "./PlainRequest.ts"

/** Whether it answers the request. One that says no must not have touched it. */
export type Take = (request: http.IncomingMessage, response: http.ServerResponse) => boolean

const takeNone: Take = () => false

/** ms in which requests that were sent before their client heard of the end still get an answer. */
const lastCallMs = 50
/** ms between two looks for connections whose last answer is done. */
const idleCheckMs = 20

type Refuse = (request: http.IncomingMessage, response: http.ServerResponse) => void

export interface Closing {
  /** Called once, when the server is told to close. */
  readonly onClose: () => void
  /** Answers a request that comes after that, and ends its connection. */
  readonly refuseLate: Refuse
  /** Answers a request that is one too many on its connection, and ends that. */
  readonly refusePipelined: Refuse
  /** Answers a request that is not plain (`PlainRequest`). */
  readonly refuseFault: (fault: Refused) => Refuse
}

class NodeServer extends http.Server {
  take: Take = takeNone
  isClosing = false
  readonly #closing: Closing
  readonly #pipelining = Pipelining.make()
  /** Requests that came before there was anything to answer them: the port is bound before the routes are made. */
  #early: Array<readonly [http.IncomingMessage, http.ServerResponse]> = []

  constructor(options: http.ServerOptions, closing: Closing) {
    super(options)
    this.#closing = closing
    // Told before the listener is there.
    this.on("newListener", (event) => {
      if (event === "request" && this.#early.length > 0) setImmediate(() => this.#serveEarly())
    })
  }

  #serveEarly() {
    const early = this.#early
    this.#early = []
    for (const [request, response] of early) this.#admit("request", request, response)
  }

  override emit(event: string, ...args: Array<unknown>): boolean {
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [request, response] = args
    if (!(request instanceof http.IncomingMessage) || !(response instanceof http.ServerResponse)) return false
    const admitted = this.#pipelining.admit(request, response)
    if (admitted === "dropped") return true
    if (admitted === "refused") this.#closing.refusePipelined(request, response)
    else if (this.isClosing) this.#closing.refuseLate(request, response)
    else return this.#admit(event, request, response)
    return true
  }

  /** What the front takes has a path that is plain. */
  #admit(event: string, request: http.IncomingMessage, response: http.ServerResponse): boolean {
    const hostFault = PlainRequest.hostFault(request)
    if (hostFault === null && event === "request" && this.take(request, response)) return true
    const fault = hostFault ?? PlainRequest.pathFault(request)
    if (fault === null) {
      const isAnswered = super.emit(event, request, response)
      if (!isAnswered) this.#early.push([request, response])
      return isAnswered
    }
    this.#closing.refuseFault(fault)(request, response)
    return true
  }

  /** Node's own would at once reset connections that idle, with requests on them that have been sent and not been read. */
  override close(callback?: (error?: Error) => void): this {
    if (!this.isClosing) {
      this.isClosing = true
      this.#closing.onClose()
      for (const [request, response] of this.#early.splice(0)) this.#closing.refuseLate(request, response)
      this.#closeAsTheyIdle()
    }
    net.Server.prototype.close.call(this, callback)
    return this
  }

  /** On Node's timers: it is Node that closes the server, after the last fiber that could wait may have ended. */
  #closeAsTheyIdle() {
    let checks: NodeJS.Timeout | undefined
    const lastCall = setTimeout(() => {
      this.closeIdleConnections()
      checks = setInterval(() => this.closeIdleConnections(), idleCheckMs)
    }, lastCallMs)
    this.once("close", () => {
      clearTimeout(lastCall)
      clearInterval(checks)
    })
  }
}

export class Front extends Context.Service<
  Front,
  {
    /** Until the scope closes. There is one front at a time. */
    readonly place: (take: Take) => Effect.Effect<void, never, Scope.Scope>
  }
>()("inferlog/src/edges/http/edge/Front") {}

export interface Fronted {
  readonly server: http.Server
  readonly front: Front["Service"]
  readonly isClosing: () => boolean
}

export const make = (options: http.ServerOptions, closing: Closing): Fronted => {
  const server = new NodeServer(options, closing)
  const place = (take: Take) =>
    Effect.acquireRelease(
      Effect.sync(() => void (server.take = take)),
      () => Effect.sync(() => void (server.take = takeNone))
    )
  return { server, front: Front.of({ place }), isClosing: () => server.isClosing }
}
