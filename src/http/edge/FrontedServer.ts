/** A Node server that shows each request to a front first; what the front does not take goes on to the server's listeners. */
import * as http from "node:http"
import { Context, Effect, type Scope } from "effect"

/** Whether it answers the request. One that says no must not have touched it. */
export type Take = (request: http.IncomingMessage, response: http.ServerResponse) => boolean

const takeNone: Take = () => false

class NodeServer extends http.Server {
  take: Take = takeNone

  override emit(event: string, ...args: Array<unknown>): boolean {
    return event === "request" && this.takes(args) ? true : super.emit(event, ...args)
  }

  private takes([request, response]: Array<unknown>): boolean {
    return (
      request instanceof http.IncomingMessage &&
      response instanceof http.ServerResponse &&
      this.take(request, response)
    )
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

export const make = (options: http.ServerOptions): Fronted => {
  const server = new NodeServer(options)
  const place = (take: Take) =>
    Effect.acquireRelease(
      Effect.sync(() => void (server.take = take)),
      () => Effect.sync(() => void (server.take = takeNone))
    )
  return { server, front: Front.of({ place }) }
}
