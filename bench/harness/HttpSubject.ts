/** A subject that is an HTTP server in processes of its own, under the load generator. */
import { Effect, type Scope } from "effect"
import type { Load } from "./Load.ts"
import * as LoadClient from "./LoadClient.ts"
import * as Metering from "./Metering.ts"
import type { BenchFailed, Subject, Unavailable } from "./Subject.ts"

export interface HttpServer {
  readonly port: number
  readonly pids: ReadonlyArray<number>
}

export interface Options<Server extends HttpServer> {
  readonly name: string
  readonly role: Subject["role"]
  readonly serve: Effect.Effect<Server, BenchFailed | Unavailable, Scope.Scope>
  /** What the load sends, and which status it is to get. */
  readonly load: (server: Server) => Effect.Effect<Pick<Load, "requests" | "status">, BenchFailed>
  readonly connections: number
  readonly warmUpSeconds?: number
}

/** Until the hot code is compiled and the files have grown. */
export const defaultWarmUpSeconds = 3

export const make = <Server extends HttpServer>(options: Options<Server>): Subject => ({
  name: options.name,
  role: options.role,
  start: Effect.gen(function* () {
    const server = yield* options.serve
    const run = yield* LoadClient.start(options.name)
    const { requests, status } = yield* options.load(server)
    const load = { ports: [server.port], connections: options.connections, requests, status } as const
    const measure = (seconds: number) => Metering.meter(server.pids, run({ ...load, seconds }))
    yield* measure(options.warmUpSeconds ?? defaultWarmUpSeconds)
    return { measure }
  })
})
