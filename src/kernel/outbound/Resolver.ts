import { Array, Context, Effect, Layer, Predicate } from "effect"
import * as Dns from "node:dns/promises"
import { OutboundUnresolved } from "./OutboundError.ts"

/** The name does not exist or has no address of this family: an empty answer, not a failure. */
const isEmptyAnswer = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "code") && (cause.code === "ENODATA" || cause.code === "ENOTFOUND")

const answers = (query: () => Promise<ReadonlyArray<string>>) =>
  Effect.tryPromise(query).pipe(
    Effect.catch(({ cause }) =>
      isEmptyAnswer(cause) ? Effect.succeed(Array.empty<string>()) : Effect.fail(new OutboundUnresolved())
    )
  )

const nonEmpty = (addresses: ReadonlyArray<string>) =>
  Array.isReadonlyArrayNonEmpty(addresses) ? Effect.succeed(addresses) : Effect.fail(new OutboundUnresolved())

export class Resolver extends Context.Service<
  Resolver,
  {
    /** Every address of both families, uncached; fails rather than return a part. Interrupting cancels the queries. */
    resolve(name: string): Effect.Effect<Array.NonEmptyReadonlyArray<string>, OutboundUnresolved>
  }
>()("inferlog/src/kernel/outbound/Resolver") {
  /** Queries DNS servers (`address[:port]`; the system's if empty). Slow names would block `getaddrinfo`'s threads. */
  static readonly layerServers = (servers: ReadonlyArray<string>) =>
    Layer.succeed(
      Resolver,
      Resolver.of({
        resolve: Effect.fn("Resolver.resolve")(function* (name: string) {
          const resolver = yield* Effect.acquireRelease(
            Effect.sync(() => new Dns.Resolver({ timeout: 1_000, tries: 4 })),
            (resolver) => Effect.sync(() => resolver.cancel())
          )
          if (servers.length > 0) resolver.setServers(servers)
          const families = [
            answers(() => resolver.resolve4(name)),
            answers(() => resolver.resolve6(name))
          ] as const
          return yield* nonEmpty((yield* Effect.all(families, { concurrency: 2 })).flat())
        }, Effect.scoped)
      })
    )

  static readonly layer = this.layerServers([])

  /** Resolves as other programs on this machine do, hosts file included. For development only. */
  static readonly layerSystem = Layer.succeed(
    Resolver,
    Resolver.of({
      resolve: Effect.fn("Resolver.resolve")(function* (name: string) {
        const found = yield* answers(async () =>
          (await Dns.lookup(name, { all: true, order: "verbatim" })).map(({ address }) => address)
        )
        return yield* nonEmpty(found)
      })
    })
  )
}
