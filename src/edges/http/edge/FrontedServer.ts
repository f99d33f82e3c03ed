/** Offers each request to a front before its listeners, limits waiting requests, and refuses new ones once closing. */
import * as http from "node:http"
import * as net from "node:net"
import { Context, Effect, type Scope } from "effect"
import type { ErrorAnswer as Refused } from "../ErrorAnswer.ts"
import * as Pipelining from "./Pipelining.ts"
import * as PlainRequest from "./PlainRequest.ts"
import * as Turn from "./Turn.ts"

/** Whether the front answers the request. If not, it must not have touched it. */
export type Take = (request: http.IncomingMessage, response: http.ServerResponse) => boolean

const takeNone: Take = () => false

/**
 * Sees each request before anything else does. It may refuse the request, or change its path and headers; a request that it
 * has changed must not concern it any more.
 */
export type Enter = (request: http.IncomingMessage) => Refused | null

const enterAll: Enter = () => null

/** ms in which requests that were sent before the close still get an answer. */
const lastCallMs = 50
/** ms between checks for idle connections. */
const idleCheckMs = 20

type Refuse = (request: http.IncomingMessage, response: http.ServerResponse) => void

export interface Closing {
  /** Called once, when the server begins to close. */
  readonly onClose: () => void
  /** Answers a request that arrives after that, and ends its connection. */
  readonly refuseLate: Refuse
  /** Answers a request beyond the limit of its connection, and ends the connection. */
  readonly refusePipelined: Refuse
  /** Answers a request that is not plain (`PlainRequest`). */
  readonly refuseFault: (fault: Refused) => Refuse
}

/** A request as Node emits it. */
interface Arrived {
  readonly event: "request" | "checkContinue"
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
}

class NodeServer extends http.Server {
  take: Take = takeNone
  enter: Enter = enterAll
  isClosing = false
  readonly #closing: Closing
  readonly #pipelining = Pipelining.make()
  /** Requests that arrived before the routes were ready: the port is bound first. */
  #early: Array<Arrived> = []
  /** At the end of a turn, small bodies of its requests have arrived, too. */
  readonly #arrive = Turn.make<Arrived>((arrived) => this.#serve(arrived))

  constructor(options: http.ServerOptions, closing: Closing) {
    super(options)
    this.#closing = closing
    // Emitted before the listener is added.
    this.on("newListener", (event) => {
      if (event === "request" && this.#early.length > 0) setImmediate(() => this.#serveEarly())
    })
  }

  #serveEarly() {
    const early = this.#early
    this.#early = []
    for (const arrived of early) this.#offer(arrived)
  }

  override emit(event: string, ...args: Array<unknown>): boolean {
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [request, response] = args
    if (!(request instanceof http.IncomingMessage) || !(response instanceof http.ServerResponse)) return false
    const admitted = this.#pipelining.admit(request, response)
    if (admitted === "refused") this.#closing.refusePipelined(request, response)
    else if (admitted === "served") this.#arrive({ event, request, response })
    return true
  }

  #serve(arrived: Arrived) {
    if (this.isClosing) this.#closing.refuseLate(arrived.request, arrived.response)
    else this.#offer(arrived)
  }

  /** The front matches only plain paths. */
  #offer(arrived: Arrived) {
    const { event, request, response } = arrived
    const refused = PlainRequest.hostError(request) ?? this.enter(request)
    if (refused === null && event === "request" && this.take(request, response)) return
    const fault = refused ?? PlainRequest.pathError(request)
    if (fault !== null) this.#closing.refuseFault(fault)(request, response)
    else if (!super.emit(event, request, response)) this.#early.push(arrived)
  }

  /** Node's own `close` would reset idle connections at once, although requests may be on their way to them. */
  override close(callback?: (error?: Error) => void): this {
    if (!this.isClosing) {
      this.isClosing = true
      this.#closing.onClose()
      for (const { request, response } of this.#early.splice(0)) this.#closing.refuseLate(request, response)
      this.#closeAsTheyIdle()
    }
    net.Server.prototype.close.call(this, callback)
    return this
  }

  /** Uses Node's timers, because Node closes the server after the last fiber may have ended. */
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
    /** Until the scope closes. Only one front is active at a time. */
    readonly place: (take: Take) => Effect.Effect<void, never, Scope.Scope>
    /** Until the scope closes. Only one is active at a time. */
    readonly admit: (enter: Enter) => Effect.Effect<void, never, Scope.Scope>
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
  const admit = (enter: Enter) =>
    Effect.acquireRelease(
      Effect.sync(() => void (server.enter = enter)),
      () => Effect.sync(() => void (server.enter = enterAll))
    )
  return { server, front: Front.of({ place, admit }), isClosing: () => server.isClosing }
}
