/** A subject that is an HTTP server in separate processes, loaded by the load generator. */
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
  /** The requests of the load and the expected status. */
  readonly load: (server: Server) => Effect.Effect<Pick<Load, "requests" | "status">, BenchFailed>
  readonly connections: number
  readonly warmUpSeconds?: number
}

/** Enough for hot code to be compiled and files to grow. */
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
