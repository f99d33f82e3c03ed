/** The guard of all outbound calls: it checks, fetches and posts to every URL that a caller can choose. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cache, Context, Duration, Effect, Exit, FileSystem, Layer, Option, Stream } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { connect, OutboundAuthorities } from "./Connection.ts"
import { exchange } from "./Exchange.ts"
import type { ExchangeResponse } from "./Exchange.ts"
import type { OutboundRefused, OutboundTooLarge } from "./OutboundError.ts"
import { OutboundError, OutboundUnresolved } from "./OutboundError.ts"
import * as OutboundUrl from "./OutboundUrl.ts"
import * as Posting from "./Posting.ts"
import type { OutboundAnswer, OutboundPost } from "./Posting.ts"
import { Resolver } from "./Resolver.ts"
import * as Vetting from "./Vetting.ts"

export interface OutboundDownload {
  /** Encoded as browsers do before it is vetted. */
  readonly url: string
  readonly maxBytes: number
  /** One deadline over DNS, connect, TLS, headers and body, and over all redirects. */
  readonly timeout: Duration.Duration
  /** Path of a file, written from its start and deleted when the download fails or is interrupted. */
  readonly toFile: string
}

export interface Downloaded {
  /** As claimed by the sender. Never trust it. */
  readonly contentType: Option.Option<string>
  /** Bytes. */
  readonly size: number
}

/** Why a download fails. */
type Failure = OutboundRefused | OutboundError | OutboundTooLarge | PlatformError

/** Limits of `check`: time of a look-up, number of stored answers, and their lifetime. */
const checkTimeout = Duration.seconds(2)
const checkCache = {
  capacity: 1_024,
  timeToLive: (exit: Exit.Exit<unknown, unknown>) => (Exit.isSuccess(exit) ? "30 seconds" : "5 seconds")
} as const

const failWith = (reason: OutboundError["reason"]) => Effect.fail(new OutboundError({ reason }))

const requireSuccess = (status: number) => {
  if (status >= 200 && status <= 299) return Effect.void
  return failWith(status >= 300 && status <= 399 ? "redirect_refused" : `http_${status}`)
}

/** Redirects of one download. */
const mostRedirects = 5

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Where a response leads, not yet vetted; `null` if it is no redirect. Browsers read the header as UTF-8. */
const redirectOf = ({ headers, status }: ExchangeResponse, url: string): string | null => {
  const location = headers.get("location")
  if (!redirects.has(status) || location === undefined) return null
  return OutboundUrl.encode(Buffer.from(location, "latin1").toString(), url)
}

export class Outbound extends Context.Service<
  Outbound,
  {
    /** Whether a URL may be called now: syntax, name and all addresses (cached for 30 s). Each call checks again. */
    check(url: string): Effect.Effect<void, OutboundRefused | OutboundUnresolved>
    /** The part of `check` that needs no look-up. `check` refuses whatever this refuses. */
    look(url: string): Effect.Effect<void, OutboundRefused>
    /** Posts a webhook to a vetted address, at most once. Any status is a success; no address is `dns_error`. */
    post(post: OutboundPost): Effect.Effect<OutboundAnswer, OutboundRefused | OutboundError>
    /** `post` for callers that have no fiber. */
    readonly send: Posting.Send
    /**
     * GETs a body into a file. Follows at most five redirects, each vetted like the first URL; a further one, or one
     * without an address, fails with `redirect_refused`, another status with `http_<status>`.
     */
    download(download: OutboundDownload): Effect.Effect<Downloaded, Failure>
  }
>()("inferlog/src/kernel/outbound/Outbound") {
  static readonly layerNoDeps = Layer.effect(
    Outbound,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const resolver = yield* Resolver
      const vetting = yield* Vetting.make
      const authorities = yield* OutboundAuthorities
      const cache = yield* Cache.makeWith(
        (name: string) =>
          resolver.resolve(name).pipe(
            Effect.timeoutOrElse({
              duration: checkTimeout,
              orElse: () => Effect.fail(new OutboundUnresolved())
            })
          ),
        checkCache
      )

      const send = yield* Posting.make(vetting, resolver.resolve)

      const post = (request: OutboundPost) =>
        Effect.callback<OutboundAnswer, OutboundRefused | OutboundError>((resume) => {
          const cancel = send(request, resume)
          return Effect.sync(cancel)
        })

      const check = Effect.fn("Outbound.check")(function* (url: string) {
        yield* vetting.addresses(yield* Effect.fromResult(vetting.parse(url)), (name) =>
          Cache.get(cache, name)
        )
      })

      const look = Effect.fn("Outbound.look")(function* (url: string) {
        const target = yield* Effect.fromResult(vetting.parse(url))
        if (Option.isSome(target.literal))
          yield* Effect.fromResult(vetting.literal(target, target.literal.value))
      })

      /** One exchange. The time of the name resolution counts towards the deadline. */
      const get = Effect.fnUntraced(function* <A, E>(
        { maxBytes, timeout, url }: OutboundDownload,
        use: (response: ExchangeResponse) => Effect.Effect<A, E>
      ) {
        const target = yield* Effect.fromResult(vetting.parse(url))
        const [elapsed, addresses] = yield* vetting.addresses(target, resolver.resolve).pipe(
          Effect.timeoutOrElse({ duration: timeout, orElse: () => failWith("dns_error") }),
          Effect.catchTag("OutboundUnresolved", () => failWith("dns_error")),
          Effect.timed
        )
        return yield* connect(target, addresses, authorities).pipe(
          Effect.flatMap((socket) =>
            exchange(socket, target, {
              headers: { "accept-encoding": "identity" },
              maxResponseBytes: maxBytes
            })
          ),
          Effect.flatMap(use),
          Effect.scoped,
          Effect.timeoutOrElse({
            duration: Duration.subtract(timeout, elapsed),
            orElse: () => failWith("timeout")
          })
        )
      })

      // A write is not interrupted: it could continue after its descriptor was closed and reused for another file.
      const save = (body: ExchangeResponse["body"], path: string) =>
        fs.open(path, { flag: "w" }).pipe(
          Effect.flatMap((file) =>
            Stream.runFoldEffect(
              body,
              () => 0,
              (size, chunk) => Effect.as(Effect.uninterruptible(file.writeAll(chunk)), size + chunk.length)
            )
          ),
          Effect.scoped,
          Effect.onError(() => Effect.ignore(fs.remove(path, { force: true })))
        )

      /** The downloaded file, or the URL to which the response leads. */
      const follow = (options: OutboundDownload) =>
        get(options, (response): Effect.Effect<Downloaded | string, Failure> => {
          const next = redirectOf(response, options.url)
          if (next !== null) return Effect.succeed(next)
          return requireSuccess(response.status).pipe(
            Effect.andThen(save(response.body, options.toFile)),
            Effect.map((size) => ({
              size,
              contentType: Option.fromNullishOr(response.headers.get("content-type"))
            }))
          )
        })

      const download = Effect.fn("Outbound.download")(function* (options: OutboundDownload) {
        let url = OutboundUrl.encode(options.url)
        let timeout = options.timeout
        for (let redirects = 0; redirects <= mostRedirects; redirects++) {
          const [elapsed, downloaded] = yield* Effect.timed(follow({ ...options, url, timeout }))
          if (typeof downloaded !== "string") return downloaded
          url = downloaded
          timeout = Duration.subtract(timeout, elapsed)
        }
        return yield* failWith("redirect_refused")
      })

      return Outbound.of({ check, look, post, send, download })
    })
  )

  /** Private targets, when allowed, are also resolved through the hosts file. */
  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide(NodeFileSystem.layer),
    Layer.provide(
      Layer.unwrap(
        Effect.map(Vetting.allowPrivateTargets.config, (allow) =>
          allow ? Resolver.layerSystem : Resolver.layer
        )
      )
    )
  )

  /** For URLs of the operator: private addresses and names of the hosts file are allowed. A layer of its own. */
  static readonly layerOfOperator = Layer.fresh(this.layerNoDeps).pipe(
    Layer.provide([NodeFileSystem.layer, Resolver.layerSystem, Layer.succeed(Vetting.IsOfOperator, true)])
  )
}
